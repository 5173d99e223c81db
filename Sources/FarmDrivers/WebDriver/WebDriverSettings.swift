// The settings of a job of the driver `webdriver`. Plans keep their JSON, so no field may be
// renamed.

/// The settings of a job that captures scenes in Chromium.
package struct WebDriverSettings: Hashable, Sendable, Codable {
    /// The scenes file, relative to the pipeline file's folder, or `nil` if there are only stories.
    package var scenes: String?
    /// The IANA name of the time zone that the browser's clock shows.
    package var timeZone: String = "UTC"
    /// The instant that pages see when they are opened, such as `2026-01-01T12:00:00Z`, or `now`;
    /// if it is `nil`, ``usualTime``.
    package var time: String?
    /// Whether whole pages are captured, for scenes without a setting of their own; `nil` means
    /// false.
    package var fullPage: Bool?
    /// The font families that must be installed where the pages are drawn.
    package var fonts: [String]?
    /// The server of the pages that are given as a path alone.
    package var serve: WebServerSettings?
    /// A folder that Storybook was built into, an address, or a path at the server of `serve`.
    package var storybook: String?
    /// A CSS selector of the element that is captured of each story, or `nil` for the screen.
    package var element: String?
    /// Whether the elements of each page are kept beside its picture; `nil` means true.
    package var elements: Bool?
    /// Whether the accessibility tree of each page is a text beside its picture, for scenes without
    /// a setting of their own; `nil` means false.
    package var accessibility: Bool?
    /// The script of axe-core, relative to the pipeline file's folder, or `nil` to run none.
    package var axe: String?

    /// The value of `time` if the job has none: midday, so that the day is the same in nearly all
    /// time zones.
    package static let usualTime = "2026-01-01T12:00:00Z"

    /// Storybook's folder, relative to the pipeline file's folder, or `nil` if it is at an address.
    var storybookFolder: String? {
        storybook.flatMap { $0.hasPrefix("/") || Self.isAddress($0) ? nil : $0 }
    }

    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// The paths in the work tree that the settings name.
    var paths: [String] { [scenes, serve?.folder, storybookFolder, axe].compactMap(\.self) }
}

/// A web server that the driver starts beside its browsers: a program, or the driver itself.
package struct WebServerSettings: Hashable, Sendable, Codable {
    /// A command of the shell; `{port}` stands for a free port.
    package var command: String?
    /// The address at which the server answers when it is ready, with `{port}`.
    package var url: String?
    /// A folder relative to the pipeline file's, served by the driver.
    package var folder: String?
    /// The file of `folder` for paths that do not exist.
    package var fallback: String?

    /// The address of a server whose settings have no `url`: most servers for development listen on
    /// this name, with or without IPv6.
    package static let usualURL = "http://localhost:{port}/"
}
