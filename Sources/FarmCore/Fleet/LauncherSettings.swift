// The settings of a launcher: the place where it starts workers, their number, and what they will
// offer. Also the names of started workers: a restarted coordinator recognises its workers by them,
// and their start times.

/// The place where a launcher starts its workers: locally, or by commands.
package enum LauncherPlace: Hashable, Sendable {
    /// Workers are child processes of the coordinator.
    case local
    case command(LauncherTemplates)

    /// The word for the place in the configuration file.
    package enum Kind: String, CaseIterable, Sendable {
        case local, command
    }
}

/// The command templates of a launcher, each a list of words.
///
/// `{name}`, `{cell}`, `{coordinator}` and `{idle}` in them stand for the worker's values, and the
/// word `{worker}` for the options of `snapfarm worker`.
package struct LauncherTemplates: Hashable, Sendable {
    /// The command that checks the launcher's variables and token; empty for no check.
    package var check: [String]
    package var start: [String]
    package var list: [String]
    package var stop: [String]

    package init(check: [String] = [], start: [String], list: [String], stop: [String]) {
        self.check = check
        self.start = start
        self.list = list
        self.stop = stop
    }
}

/// The settings of one launcher.
package struct LauncherSettings: Hashable, Sendable {
    package var name: String
    package var place: LauncherPlace
    /// The offer of the launcher's workers; it starts none for a cell that needs more.
    package var offers: WorkerOffer
    /// The number of workers that run even if no test case waits.
    package var min = 0
    package var max: Int
    /// The number of open test cases for which one worker is started.
    package var testsPerWorker = FarmLimits.testsPerLaunchedWorker
    /// Seconds without work after which a started worker leaves.
    package var idleSeconds = FarmLimits.launchedIdleSeconds
    /// Seconds after which a started worker that has not called the coordinator is given up.
    package var startSeconds = FarmLimits.launchStartSeconds
    /// The cost of one worker per hour, in any currency, or `nil` if it is unknown.
    package var costPerHour: Double?
    /// The coordinator's address for the started workers, or `nil` for the address that it listens
    /// at.
    package var coordinator: String?
    /// The environment variable with the token for the started workers, or `nil` if they have their
    /// own.
    package var token: String?
    /// The environment variables for the launcher's commands, in addition to the usual ones; `nil`
    /// stands for the coordinator's own value.
    package var variables: [String: String?] = [:]

    package init(name: String, place: LauncherPlace, offers: WorkerOffer, max: Int) {
        self.name = name
        self.place = place
        self.offers = offers
        self.max = max
    }

    /// Whether `text` is a launcher's name, which every scheduler accepts as a part of a name:
    /// small letters, digits and single `-`, a letter first.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...30).contains(bytes.count), (97...122).contains(bytes[0]), bytes.last != 45,
            !text.contains("--")
        else { return false }
        return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}

/// The name of a started worker: its launcher's name, the second of its start, and a number.
package struct LaunchedName: Hashable, Sendable {
    package let launcher: String
    /// The time of the worker's start, in seconds since 1970.
    package let second: Int64
    package let number: Int

    package init(launcher: String, second: Int64, number: Int) {
        self.launcher = launcher
        self.second = second
        self.number = number
    }

    /// Parses the name of a worker that `launcher` started; returns `nil` for any other text.
    package init?(_ text: String, of launcher: String) {
        guard text.hasPrefix(launcher + "-") else { return nil }
        let parts = text.dropFirst(launcher.count + 1)
            .split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let second = Int64(parts[0]), let number = Int(parts[1]) else {
            return nil
        }
        self.init(launcher: launcher, second: second, number: number)
        guard self.text == text, second >= 0, number >= 0, second < 1 << 40 else { return nil }
    }

    package var text: String { "\(launcher)-\(second)-\(number)" }

    package var worker: WorkerID { WorkerID(text) }
}
