// The calls of a launcher's scheduler: command lines, standard input, and the parsing of output.
// Pure. Command lines never contain a secret.
import FarmCore
import Foundation

/// A program to run, with its arguments and its standard input.
package struct LauncherCall: Hashable, Sendable {
    /// The command line; its first word is the program.
    package var words: [String]
    /// The text for the program's standard input.
    package var input: String

    init(_ words: [String], input: String = "") {
        self.words = words
        self.input = input
    }
}

/// The order to a launcher to start a worker.
package struct WorkerOrder: Hashable, Sendable {
    package var name: LaunchedName
    /// The cell that the worker is started for, or `nil` for a worker that serves any cell.
    package var cell: CellKey?
    /// The coordinator's URL for the worker.
    package var coordinator: String
    /// The worker's token, or empty if the worker has one already.
    package var token: String
    /// The offers that the worker declares.
    package var offers: WorkerOffer
    /// The seconds after which the idle worker ends, or `nil` if it never does.
    package var idleSeconds: Double?

    package init(
        name: LaunchedName,
        cell: CellKey?,
        coordinator: String,
        token: String,
        offers: WorkerOffer,
        idleSeconds: Double?
    ) {
        self.name = name
        self.cell = cell
        self.coordinator = coordinator
        self.token = token
        self.offers = offers
        self.idleSeconds = idleSeconds
    }

    /// The lines for the worker's standard input: the coordinator's URL and the token.
    package var standardInput: String { Self.standardInput(coordinator: coordinator, token: token) }

    /// Returns the standard input of `snapfarm worker --coordinator -`: URL and token, a line each.
    static func standardInput(coordinator: String, token: String) -> String {
        "\(coordinator)\n\(token)\n"
    }

    /// The options of `snapfarm worker`, without those for the coordinator and its token.
    package var workerWords: [String] {
        var words = ["--id", name.text]
        if let idleSeconds { words += ["--idle-seconds", Self.text(idleSeconds)] }
        for (name, values) in offers.values.sorted(by: { $0.key < $1.key }) {
            if values.isEmpty { words += ["--offer", name] }
            for value in values { words += ["--offer", "\(name)=\(value)"] }
        }
        return words
    }

    /// Returns a number of seconds as text; a whole number has no `.0`.
    static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds))" : "\(seconds)"
    }
}

/// A worker that a scheduler lists.
package struct ListedWorker: Hashable, Sendable {
    package var name: String
    /// Whether the worker waits in the scheduler's queue for a machine.
    package var isPending: Bool

    package init(_ name: String, isPending: Bool = false) {
        self.name = name
        self.isPending = isPending
    }
}

/// The calls of a launcher whose commands are in the configuration.
package struct TemplateCalls: Sendable {
    let templates: LauncherTemplates

    package init(_ templates: LauncherTemplates) { self.templates = templates }

    package func start(_ order: WorkerOrder) -> LauncherCall {
        let values = [
            "name": order.name.text, "coordinator": order.coordinator,
            "cell": Self.harmless(order.cell.map { "\($0.cell)" } ?? "any"),
            "idle": order.idleSeconds.map { WorkerOrder.text($0) } ?? "0",
        ]
        return LauncherCall(
            templates.start.flatMap { word in
                word == "{worker}" ? order.workerWords : [Self.filled(word, values)]
            },
            input: order.standardInput
        )
    }

    /// Returns the call that checks the launcher, or `nil` if the configuration has no such
    /// command.
    package func check(coordinator: String, token: String) -> LauncherCall? {
        guard !templates.check.isEmpty else { return nil }
        let input = WorkerOrder.standardInput(coordinator: coordinator, token: token)
        return LauncherCall(templates.check, input: input)
    }

    package func list() -> LauncherCall { LauncherCall(templates.list) }

    /// Parses a list of workers, a name in each line.
    ///
    /// The word `pending` after a name marks a worker in the queue; other words are ignored.
    package func listed(_ output: String) -> [ListedWorker] {
        output.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(separator: " ")
            return words.first.map {
                ListedWorker(String($0), isPending: words.dropFirst().first == "pending")
            }
        }
    }

    package func stop(_ name: LaunchedName) -> LauncherCall {
        LauncherCall(templates.stop.map { Self.filled($0, ["name": name.text]) })
    }

    /// Returns the text with each byte but letters, digits, `.`, `_` and `-` replaced, so that no
    /// shell interprets it; cuts it to `FleetNames.bytesMax` bytes.
    ///
    /// The author of a run chooses its cells' names, and a template may pass them to a shell.
    static func harmless(_ text: String) -> String {
        let bytes = text.utf8.prefix(FleetNames.bytesMax).map { byte -> UInt8 in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
            return isPlain ? byte : UInt8(ascii: "_")
        }
        // A program must not read the name as an option.
        let plain = String(decoding: bytes, as: UTF8.self)
        return plain.hasPrefix("-") ? "_" + plain.dropFirst() : plain
    }

    /// Returns a word with its placeholders replaced by values.
    ///
    /// It replaces in one pass, so a placeholder inside a value stays as it is.
    static func filled(_ word: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = word[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            rest = rest[open...]
            let close = rest.firstIndex(of: "}")
            let key = close.map { String(rest[rest.index(after: open)..<$0]) }
            if let close, let key, let value = values[key] {
                filled += value
                rest = rest[rest.index(after: close)...]
            } else {
                filled += "{"
                rest = rest.dropFirst()
            }
        }
        return filled + rest
    }
}
