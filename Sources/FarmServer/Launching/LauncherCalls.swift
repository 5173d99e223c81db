// How a launcher's scheduler is called: as words, input and what the answer means. Pure; no secret is
// ever among the words.
import FarmCore
import Foundation

/// One call of a program.
package struct LauncherCall: Hashable, Sendable {
    /// The program first.
    package var words: [String]
    /// What it reads.
    package var input: String

    init(_ words: [String], input: String = "") {
        self.words = words
        self.input = input
    }
}

/// A worker that is to be started.
package struct WorkerOrder: Hashable, Sendable {
    package var name: LaunchedName
    /// What it is started for; nil: for whatever comes.
    package var cell: CellKey?
    /// How it reaches the coordinator.
    package var coordinator: String
    /// Empty where the worker has it otherwise.
    package var token: String
    /// What it shall say it has.
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

    /// The lines that the worker reads.
    package var told: String { Self.told(coordinator: coordinator, token: token) }

    /// What `snapfarm worker` reads with `--coordinator -`.
    static func told(coordinator: String, token: String) -> String {
        "\(coordinator)\n\(token)\n"
    }

    /// Words of `snapfarm worker`, without where its coordinator is.
    package var workerWords: [String] {
        var words = ["--id", name.text]
        if let idleSeconds { words += ["--idle-seconds", Self.text(idleSeconds)] }
        for (name, values) in offers.values.sorted(by: { $0.key < $1.key }) {
            if values.isEmpty { words += ["--offer", name] }
            for value in values { words += ["--offer", "\(name)=\(value)"] }
        }
        return words
    }

    /// Without `.0`.
    static func text(_ seconds: Double) -> String {
        seconds == seconds.rounded() && seconds < 1e9 ? "\(Int(seconds))" : "\(seconds)"
    }
}

/// A worker that a scheduler lists.
package struct ListedWorker: Hashable, Sendable {
    package var name: String
    /// It waits for a machine.
    package var isPending: Bool

    package init(_ name: String, isPending: Bool = false) {
        self.name = name
        self.isPending = isPending
    }
}

/// Commands that a configuration writes down.
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
            input: order.told
        )
    }

    /// Nil where the configuration names no such command.
    package func check(coordinator: String, token: String) -> LauncherCall? {
        guard !templates.check.isEmpty else { return nil }
        let told = WorkerOrder.told(coordinator: coordinator, token: token)
        return LauncherCall(templates.check, input: told)
    }

    package func list() -> LauncherCall { LauncherCall(templates.list) }

    /// A name a line; what follows a blank is for people, but for the word `pending`.
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

    /// A cell's name comes from whoever submits a run, and a template may hand it to a shell.
    static func harmless(_ text: String) -> String {
        let bytes = text.utf8.prefix(FleetNames.bytesMax).map { byte -> UInt8 in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-")].contains(byte)
            return isPlain ? byte : UInt8(ascii: "_")
        }
        // No option of a program, either.
        let plain = String(decoding: bytes, as: UTF8.self)
        return plain.hasPrefix("-") ? "_" + plain.dropFirst() : plain
    }

    /// In one pass: what a value says is no placeholder.
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
