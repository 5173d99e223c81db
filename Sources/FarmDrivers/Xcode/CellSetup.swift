// The settings of a simulator for a cell's variants, and the commands that make them. A language
// needs a simulator of its own; all else is set on one that runs.
//
//   axis           value                             set by
//   locale         ja, ja-JP, ja_JP                  AppleLanguages and AppleLocale, -testLanguage
//   region         JP                                AppleLocale, -testRegion
//   appearance     light, dark                       simctl ui
//   text-size      large, accessibility-medium, …    simctl ui content_size
//   contrast       increased, normal                 simctl ui increase_contrast
//
// Other axes are the tests' own: tests see them as SNAPFARM_VARIANT_….
import FarmCore

/// The settings of a simulator for one cell.
struct CellSetup: Hashable, Sendable {
    /// The language, such as `ja` and `zh-Hans`, or `nil` for that of new simulators.
    var language: String?
    /// The region, such as `JP`, or `nil` if the cell has none.
    var region: String?
    var appearance = "light"
    /// The text size, or `nil` if the cell has none: simulators are made with `large`.
    var contentSize: String?
    var increasesContrast = false
    /// Whether a cell of the job has an appearance, so that a simulator that refuses it ends the
    /// lease.
    var needsAppearance = false

    init() {}

    /// Creates the settings for a cell.
    ///
    /// - Parameters:
    ///   - cell: The cell that the simulator is set for.
    ///   - others: All cells of its job.
    init(_ cell: Cell, among others: [Cell] = []) {
        needsAppearance = ([cell] + others).contains { cell in
            cell.variant.contains { Self.axis($0.axis) == "appearance" }
        }
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

    /// Returns an axis in one spelling: `Text Size`, `text-size` and `textSize` are the same.
    private static func axis(_ name: String) -> String {
        name.lowercased().filter { $0.isLetter }
    }

    private static func dashed(_ value: String) -> String {
        value.lowercased().replacing(" ", with: "-").replacing("_", with: "-")
    }

    /// Splits a locale: `ja_JP` is a language and a region; a part of four letters is a script.
    private static func locale(_ text: String, _ region: String?) -> (String, String?) {
        let parts = text.split { $0 == "-" || $0 == "_" }.map(String.init)
        guard parts.count > 1, let last = parts.last, last.count < 4 else {
            return (parts.joined(separator: "-"), region)
        }
        return (parts.dropLast().joined(separator: "-"), last)
    }

    /// The value of `AppleLocale`, such as `ja_JP`, or `nil` for a cell without a language.
    private var locale: String? {
        language.map { language in region.map { "\(language)_\($0)" } ?? language }
    }

    /// The arguments of xcodebuild that choose the language of the tests alone.
    var testArguments: [String] {
        (language.map { ["-testLanguage", $0] } ?? [])
            + (region.map { ["-testRegion", $0] } ?? [])
    }

    /// Returns the arguments of `simctl` that set the language of a booted simulator.
    ///
    /// The processes that hold the old language are ended and start again by themselves.
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

    /// Returns the arguments of `simctl` that list the services of a booted simulator.
    static func servicesCommand(_ udid: String) -> [String] {
        ["spawn", udid, "launchctl", "print", "system"]
    }

    /// Whether a list of services shows that a process answers for SpringBoard's service.
    ///
    /// The service's line is `M   A   com.apple.springboard.services`, and without the `A` while
    /// SpringBoard starts.
    static func springBoardAnswers(in list: [UInt8]) -> Bool {
        list.split(separator: UInt8(ascii: "\n")).contains { line in
            let words = String(decoding: line, as: UTF8.self).split(whereSeparator: \.isWhitespace)
            return words.suffix(2) == ["A", "com.apple.springboard.services"]
        }
    }

    /// The settings that a simulator keeps over a boot; the defaults are those of a new simulator.
    struct Kept: Hashable, Sendable {
        var appearance = "light"
        var contrastIncreased = false
        /// The text size, or `nil` for that of new simulators.
        var contentSize: String?
    }

    var kept: Kept {
        Kept(
            appearance: appearance,
            contrastIncreased: increasesContrast,
            contentSize: contentSize
        )
    }

    /// A call of `simctl` that sets the look of a booted simulator.
    struct Command: Hashable, Sendable {
        var arguments: [String]
        /// Whether the pictures would be those of another cell if the call failed.
        var isNeeded = true
    }

    /// Whether a simulator that refuses the appearance may show another one.
    func needsAppearance(after kept: Kept) -> Bool {
        needsAppearance || kept.appearance != appearance
    }

    /// Returns the calls that set the look of a booted simulator, without those for what it has
    /// already.
    ///
    /// Contrast and text size are set only if they differ: older Xcodes do not know these commands.
    ///
    /// - Parameters:
    ///   - udid: The simulator's UDID.
    ///   - before: The settings made since its boot, or `nil` if there are none.
    ///   - kept: The settings made before its boot.
    /// - Returns: The calls in their order.
    func lookCommands(_ udid: String, before: CellSetup?, kept: Kept = Kept()) -> [Command] {
        var commands: [Command] = []
        if before?.appearance != appearance {
            commands.append(
                Command(
                    arguments: ["ui", udid, "appearance", appearance],
                    isNeeded: needsAppearance(after: kept)
                )
            )
        }
        if kept.contentSize != contentSize {
            let size = contentSize ?? "large"
            commands.append(Command(arguments: ["ui", udid, "content_size", size]))
        }
        if kept.contrastIncreased != increasesContrast {
            let word = increasesContrast ? "enabled" : "disabled"
            commands.append(Command(arguments: ["ui", udid, "increase_contrast", word]))
        }
        return commands
    }

    /// The time in the status bar, by which the list of its overrides is checked.
    static let statusBarTime = "9:41"

    /// Returns the arguments of `simctl` that make a booted simulator's status bar the same in all
    /// pictures.
    static func statusBarCommand(_ udid: String) -> [String] {
        [
            "status_bar", udid, "override", "--time", statusBarTime, "--dataNetwork", "wifi",
            "--wifiMode", "active", "--wifiBars", "3", "--cellularMode", "active",
            "--cellularBars", "4", "--batteryState", "charged", "--batteryLevel", "100",
        ]
    }
}
