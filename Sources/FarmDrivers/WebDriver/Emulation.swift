// The settings of the browser for a cell of the matrix.
import FarmCore

/// The screen, language, appearance and time zone that pages see.
struct Emulation: Hashable, Sendable {
    var width: Int
    var height: Int
    var scale: Double
    var isMobile: Bool
    var isLandscape: Bool
    var isDark: Bool
    var language: Language
    var timeZone: String

    /// Creates the emulation of a cell, or `nil` for a cell without a device.
    init?(cell: Cell, timeZone: String) {
        guard let device = cell.device else { return nil }
        isLandscape = cell.value(of: "orientation") == "landscape"
        width = isLandscape ? device.height : device.width
        height = isLandscape ? device.width : device.height
        scale = device.scale
        // A phone honours `<meta name=viewport>` and has a touch screen; a kiosk or desktop does
        // not.
        isMobile =
            device.os != nil
            || ["iPhone", "iPad", "iPod", "Pixel", "Galaxy"].contains { device.name.hasPrefix($0) }
        isDark = cell.value(of: "appearance") == "dark"
        language = Language(cell.value(of: "locale") ?? "en")
        self.timeZone = timeZone
    }

    /// Returns the DevTools commands that set the emulation, in order.
    func commands(userAgent: String) -> [(name: String, parameters: JSONValue)] {
        let orientation: JSONValue = [
            "type": isLandscape ? "landscapePrimary" : "portraitPrimary",
            "angle": isLandscape ? 90 : 0,
        ]
        let appearance: JSONValue = isDark ? "dark" : "light"
        return [
            (
                "Emulation.setDeviceMetricsOverride",
                [
                    "width": .number(Double(width)), "height": .number(Double(height)),
                    "screenWidth": .number(Double(width)),
                    "screenHeight": .number(Double(height)),
                    "deviceScaleFactor": .number(scale), "mobile": .flag(isMobile),
                    "screenOrientation": orientation,
                ]
            ),
            (
                "Emulation.setTouchEmulationEnabled",
                ["enabled": .flag(isMobile), "maxTouchPoints": isMobile ? 5 : 1]
            ),
            (
                "Emulation.setEmulatedMedia",
                [
                    "features": [
                        ["name": "prefers-color-scheme", "value": appearance],
                        ["name": "prefers-reduced-motion", "value": "reduce"],
                    ]
                ]
            ),
            ("Emulation.setLocaleOverride", ["locale": .text(language.tag)]),
            (
                "Emulation.setUserAgentOverride",
                ["userAgent": .text(userAgent), "acceptLanguage": .text(language.accept)]
            ),
            ("Emulation.setTimezoneOverride", ["timezoneId": .text(timeZone)]),
        ]
    }
}

/// A language in the forms that pages see.
struct Language: Hashable, Sendable {
    /// The tag, such as `ja-JP`; a bare language such as `ja` gets the region that browsers in its
    /// country report.
    var tag: String

    /// The value for `Accept-Language` and `navigator.languages`, such as `ja-JP,ja`.
    var accept: String {
        let base = tag.prefix { $0 != "-" }
        return base.count == tag.count ? tag : "\(tag),\(base)"
    }

    private static let regions = [
        "ar": "EG", "cs": "CZ", "da": "DK", "de": "DE", "el": "GR", "en": "US", "es": "ES",
        "fi": "FI", "fr": "FR", "he": "IL", "hi": "IN", "hu": "HU", "id": "ID", "it": "IT",
        "ja": "JP", "ko": "KR", "ms": "MY", "nb": "NO", "nl": "NL", "pl": "PL", "pt": "BR",
        "ro": "RO", "ru": "RU", "sv": "SE", "th": "TH", "tr": "TR", "uk": "UA", "vi": "VN",
        "zh": "CN",
    ]

    /// Creates a language from a text such as `ja`, `ja-JP` or `ja_JP`.
    init(_ text: String) {
        let given = text.replacing("_", with: "-")
        tag = Self.regions[given.lowercased()].map { "\(given.lowercased())-\($0)" } ?? given
    }
}
