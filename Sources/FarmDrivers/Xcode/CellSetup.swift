// What a cell's variants mean on a simulator, and the commands that make it so. A language needs a
// simulator of its own; all else is set on one that runs.
//
//   axis           value                             set by
//   locale         ja, ja-JP, ja_JP                  AppleLanguages and AppleLocale, -testLanguage
//   region         JP                                AppleLocale, -testRegion
//   appearance     light, dark                       simctl ui
//   text-size      large, accessibility-medium, …    simctl ui content_size
//   contrast       increased, normal                 simctl ui increase_contrast
//
// Other axes are the tests' own: they see them as SNAPFARM_VARIANT_….
import FarmCore

/// The settings of a cell.
struct CellSetup: Hashable, Sendable {
    /// Such as `ja` and `zh-Hans`; nil: as Xcode makes simulators.
    var language: String?
    /// Such as `JP`.
    var region: String?
    var appearance = "light"
    /// `nil` if the cell asks for none: simulators are made with `large`.
    var contentSize: String?
    var increasesContrast = false

    init() {}

    init(_ cell: Cell) {
        for value in cell.variant {
            switch Self.axis(value.axis) {
            case "locale", "language": (language, region) = Self.locale(value.value, region)
            case "region": region = value.value
            case "appearance": appearance = value.value == "dark" ? "dark" : "light"
            case "textsize", "contentsize": contentSize = Self.dashed(value.value)
            case "contrast": increasesContrast = ["increased", "high"].contains(value.value)
            default: break
            }
        }
    }

    /// `Text Size`, `text-size` and `textSize` are one axis.
    private static func axis(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter }
    }

    private static func dashed(_ value: String) -> String {
        value.lowercased().replacing(" ", with: "-").replacing("_", with: "-")
    }

    /// `ja_JP` is a language and a region; a part of four letters is a script.
    private static func locale(_ text: String, _ region: String?) -> (String, String?) {
        let parts = text.split { $0 == "-" || $0 == "_" }.map(String.init)
        guard parts.count > 1, let last = parts.last, last.count < 4 else {
            return (parts.joined(separator: "-"), region)
        }
        return (parts.dropLast().joined(separator: "-"), last)
    }

    /// What `AppleLocale` is called: `ja_JP`.
    private var locale: String? {
        language.map { language in region.map { "\(language)_\($0)" } ?? language }
    }

    /// The arguments of xcodebuild that choose the language of the tests alone.
    var testArguments: [String] {
        (language.map { ["-testLanguage", $0] } ?? [])
            + (region.map { ["-testRegion", $0] } ?? [])
    }

    /// The arguments of `simctl` that set the language of a booted simulator.
    ///
    /// The processes that hold the old one are ended and start again by themselves.
    func languageCommands(_ udid: String) -> [[String]] {
        guard let language, let locale else { return [] }
        let preferred = region.map { "\(language)-\($0)" } ?? language
        let defaults = ["spawn", udid, "defaults", "write", "-g"]
        let kill = ["spawn", udid, "launchctl", "kill", "SIGKILL"]
        return [
            defaults + ["AppleLanguages", "-array", preferred, "en"],
            defaults + ["AppleLocale", locale],
            kill + ["system/com.apple.cfprefsd.xpc.daemon"],
            kill + ["system/com.apple.SpringBoard"],
        ]
    }

    /// The settings that a simulator keeps over a boot.
    struct Kept: Hashable, Sendable {
        var contrastIncreased = false
        /// `nil` as Xcode makes simulators.
        var contentSize: String?
    }

    var kept: Kept { Kept(contrastIncreased: increasesContrast, contentSize: contentSize) }

    /// The arguments of `simctl` that set how a booted simulator looks, but for what it has
    /// already.
    ///
    /// Contrast and text size are set only if they differ: older Xcodes do not know these commands.
    ///
    /// - Parameters:
    ///   - udid: The simulator.
    ///   - before: What was set since its boot, or `nil` if nothing was.
    ///   - kept: What was set before its boot.
    /// - Returns: A list of arguments for each call.
    func lookCommands(_ udid: String, before: CellSetup?, kept: Kept = Kept()) -> [[String]] {
        var commands: [[String]] = []
        if before?.appearance != appearance {
            commands.append(["ui", udid, "appearance", appearance])
        }
        if kept.contentSize != contentSize {
            commands.append(["ui", udid, "content_size", contentSize ?? "large"])
        }
        if kept.contrastIncreased != increasesContrast {
            let word = increasesContrast ? "enabled" : "disabled"
            commands.append(["ui", udid, "increase_contrast", word])
        }
        return commands
    }

    /// The arguments of `simctl` that make a booted simulator's status bar the same in all pictures.
    static func statusBarCommand(_ udid: String) -> [String] {
        [
            "status_bar", udid, "override", "--time", "9:41", "--dataNetwork", "wifi",
            "--wifiMode", "active", "--wifiBars", "3", "--cellularMode", "active",
            "--cellularBars", "4", "--batteryState", "charged", "--batteryLevel", "100",
        ]
    }
}
