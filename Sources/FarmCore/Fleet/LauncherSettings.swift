// What a coordinator's configuration says of a launcher: where workers are started when work waits,
// how many, and what they will offer. Also the names of started workers, from which a coordinator
// that begins anew knows again which are its own and since when.

/// How a launcher starts, lists and stops workers.
package enum LauncherPlace: Hashable, Sendable {
    /// Child processes of the coordinator.
    case local
    case command(LauncherTemplates)

    /// How it is written.
    package enum Kind: String, CaseIterable, Sendable {
        case local, command
    }
}

/// Commands as lists of words, in which `{name}`, `{cell}`, `{coordinator}` and `{idle}` stand for
/// what is known of the worker, and the word `{worker}` for the options of `snapfarm worker`.
package struct LauncherTemplates: Hashable, Sendable {
    /// Refuses what is wrong with the launcher's variables and token; empty: nothing does.
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

/// One launcher of a coordinator.
package struct LauncherSettings: Hashable, Sendable {
    package var name: String
    package var place: LauncherPlace
    /// What its workers are told to offer; nothing is started for a cell that needs more.
    package var offers: WorkerOffer
    /// Workers that are there also when nothing waits.
    package var min = 0
    package var max: Int
    /// One worker for so many open test cases.
    package var testsPerWorker = FarmLimits.testsPerLaunchedWorker
    /// Seconds without work after which a worker leaves.
    package var idleSeconds = FarmLimits.launchedIdleSeconds
    /// Seconds until a worker that has not called is given up.
    package var startSeconds = FarmLimits.launchStartSeconds
    /// Of one worker, in whatever currency.
    package var costPerHour: Double?
    /// How its workers reach the coordinator; nil: where that listens.
    package var coordinator: String?
    /// The variable that holds the workers' token; nil where they have one without the coordinator.
    package var token: String?
    /// Variables that its commands may see beside the usual ones; nil: as the coordinator has them.
    package var variables: [String: String?] = [:]

    package init(name: String, place: LauncherPlace, offers: WorkerOffer, max: Int) {
        self.name = name
        self.place = place
        self.offers = offers
        self.max = max
    }

    /// Small letters, digits and single `-`, a letter first: a part of names in every scheduler.
    package static func isName(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard (1...30).contains(bytes.count), (97...122).contains(bytes[0]), bytes.last != 45,
            !text.contains("--")
        else { return false }
        return bytes.allSatisfy { (97...122).contains($0) || (48...57).contains($0) || $0 == 45 }
    }
}

/// The name of a started worker: its launcher's, the second it was started in, and a number.
package struct LaunchedName: Hashable, Sendable {
    package let launcher: String
    /// Seconds since 1970.
    package let second: Int64
    package let number: Int

    package init(launcher: String, second: Int64, number: Int) {
        self.launcher = launcher
        self.second = second
        self.number = number
    }

    /// Reads a name of this launcher; nil for any other text.
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
