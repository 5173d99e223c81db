// What a job of the driver `webdriver` says. Plans keep its JSON: no field is renamed.

/// Scenes captured in Chromium.
package struct WebDriverSettings: Hashable, Sendable, Codable {
    /// The scenes file, relative to the pipeline file's folder.
    package var scenes: String
    /// IANA name; the browser's clock shows this zone.
    package var timeZone: String

    package init(scenes: String, timeZone: String = "UTC") {
        self.scenes = scenes
        self.timeZone = timeZone
    }
}
