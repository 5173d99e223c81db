// Finds Chromium and its driver, and makes the browser's command line.
//
// Only headless-shell is used: the full browser's headless mode draws other pixels, and one
// reference set must never have both.
import FarmCore
import Foundation

/// The two programs that scenes need: the browser and chromedriver.
struct ChromiumInstallation: Hashable, Sendable {
    var browser: String
    var chromedriver: String

    /// The folders of the two programs.
    var folders: [String] { [browser, chromedriver].map { splitPath($0).folder } }

    private static let browsers = [
        "/usr/lib/chromium/chromium-headless-shell",
        "/usr/lib64/chromium-browser/headless_shell",
        "/usr/bin/chromium-headless-shell",
        "/opt/homebrew/bin/chrome-headless-shell",
        "/usr/local/bin/chrome-headless-shell",
    ]
    private static let chromedrivers = [
        "/usr/bin/chromedriver",
        "/usr/lib/chromium/chromedriver",
        "/opt/homebrew/bin/chromedriver",
        "/usr/local/bin/chromedriver",
    ]

    /// Finds the browser and chromedriver on this machine.
    ///
    /// Looks in `SNAPFARM_CHROMIUM` and `SNAPFARM_CHROMEDRIVER`, then in the usual places, then in
    /// `PATH`. A variable that is set but names no program is an error.
    ///
    /// - Throws: ``WebDriverError/browserMissing(program:)``.
    static func find(_ environment: [String: String]) throws(WebDriverError) -> Self {
        Self(
            browser: try browser(environment),
            chromedriver: try chromedriver(environment)
        )
    }

    /// Returns the path of the browser.
    static func browser(_ environment: [String: String]) throws(WebDriverError) -> String {
        try find("chromium-headless-shell", "SNAPFARM_CHROMIUM", browsers, environment)
    }

    /// Returns the path of chromedriver.
    static func chromedriver(_ environment: [String: String]) throws(WebDriverError) -> String {
        try find("chromedriver", "SNAPFARM_CHROMEDRIVER", chromedrivers, environment)
    }

    private static func find(
        _ name: String,
        _ variable: String,
        _ places: [String],
        _ environment: [String: String]
    ) throws(WebDriverError) -> String {
        if let chosen = environment[variable], !chosen.isEmpty {
            guard isProgram(chosen) else { throw .browserMissing(program: chosen) }
            return chosen
        }
        let path = (environment["PATH"] ?? "").split(separator: ":").flatMap { folder in
            [name, name.replacingOccurrences(of: "chromium", with: "chrome")]
                .map { "\(folder)/\($0)" }
        }
        guard let found = (places + path).first(where: isProgram) else {
            throw .browserMissing(program: name)
        }
        return found
    }

    private static func isProgram(_ path: String) -> Bool {
        path.hasPrefix("/") && FileManager.default.isExecutableFile(atPath: path)
    }
}

/// The flags of the browser's command line.
enum ChromiumFlags {
    /// Blink's number of the policy by which animated pictures show only their first frame.
    private static let noAnimation = 2
    /// The flags that change pixels; they are part of the renderer's fingerprint.
    ///
    /// Without `--disable-partial-raster`, a page that changes after its first paint is redrawn in
    /// the changed rectangles only, and the edges of shapes there depend on the time of that first
    /// paint: half of the captures of such a page differed by some pixels. Without
    /// `--disable-font-subpixel-positioning`, the first glyphs of a new renderer process are
    /// sometimes drawn at another offset on a busy machine (35 pixels of an "x").
    static let rendering = [
        "--hide-scrollbars", "--force-color-profile=srgb", "--disable-lcd-text",
        "--disable-font-subpixel-positioning", "--font-render-hinting=none", "--disable-extensions",
        "--disable-partial-raster", "--blink-settings=imageAnimationPolicy=\(noAnimation)",
    ]
    /// The flags that keep the browser quiet and steady: without sounds, dialogs, downloads and
    /// throttling.
    private static let quiet = [
        "--remote-debugging-pipe", "--mute-audio", "--no-first-run", "--no-default-browser-check",
        "--disable-background-networking", "--disable-component-update", "--disable-sync",
        "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding", "--disable-dev-shm-usage", "--disable-breakpad",
        "--disable-back-forward-cache", "--block-new-web-contents",
    ]

    /// Returns all flags for a browser of one scale.
    ///
    /// The scale is a flag and not only emulated: if it is only emulated, one capture in twenty
    /// differs by the subpixel positions of its glyphs.
    static func all(scale: Double, isRoot: Bool) -> [String] {
        rendering + quiet + ["--force-device-scale-factor=\(text(scale))"]
            + (isRoot ? ["--no-sandbox"] : [])
    }

    private static func text(_ scale: Double) -> String {
        scale == scale.rounded() ? "\(Int(scale))" : "\(scale)"
    }
}
