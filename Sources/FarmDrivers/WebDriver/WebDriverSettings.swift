// What a job of the driver `webdriver` says. Plans keep its JSON: no field is renamed.

/// Scenes captured in Chromium.
package struct WebDriverSettings: Hashable, Sendable, Codable {
    /// The scenes file, relative to the pipeline file's folder; nil: the stories are all.
    package var scenes: String?
    /// IANA name; the browser's clock shows this zone.
    package var timeZone: String = "UTC"
    /// The instant that pages see when they are opened, as `2026-01-01T12:00:00Z`, or `now`; nil:
    /// ``usualTime``.
    package var time: String?
    /// What counts for scenes that do not say it themselves.
    package var fullPage: Bool?
    /// Families that must be there where the pages are drawn.
    package var fonts: [String]?
    /// The server that pages with a path alone are at.
    package var serve: WebServerSettings?
    /// A folder that Storybook was built into, an address, or a path at the server of `serve`.
    package var storybook: String?
    /// A CSS selector of what is captured of each story; nil: the screen.
    package var element: String?

    /// Midday, so that it is the same day in nearly all time zones.
    package static let usualTime = "2026-01-01T12:00:00Z"

    /// Storybook's folder, relative to the pipeline file's folder; nil where it is at an address.
    var storybookFolder: String? {
        storybook.flatMap { $0.hasPrefix("/") || Self.isAddress($0) ? nil : $0 }
    }

    static func isAddress(_ text: String) -> Bool {
        text.hasPrefix("http://") || text.hasPrefix("https://")
    }

    /// Its paths in the work tree.
    var paths: [String] { [scenes, serve?.folder, storybookFolder].compactMap(\.self) }
}

/// A web server that the driver starts beside its browsers: a program, or the driver itself.
package struct WebServerSettings: Hashable, Sendable, Codable {
    /// A command of the shell; `{port}` stands for a free port.
    package var command: String?
    /// Where it answers when it is ready, with `{port}`.
    package var url: String?
    /// A folder relative to the pipeline file's, served by the driver.
    package var folder: String?
    /// The file of `folder` for paths that are not there.
    package var fallback: String?

    /// Most servers for development listen on this name, with or without IPv6.
    package static let usualURL = "http://localhost:{port}/"
}
