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
    /// Nil: it stays.
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

    /// What `snapfarm worker` reads with `--coordinator -`.
    package var told: String { "\(coordinator)\n\(token)\n" }

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

/// The calls of one kind of scheduler.
package protocol LauncherCalls: Sendable {
    func start(_ order: WorkerOrder) -> LauncherCall
    func list() -> LauncherCall
    /// What the list's output names; strangers may be among them.
    func listed(_ output: String) throws -> [ListedWorker]
    func stop(_ name: LaunchedName) -> LauncherCall
}

/// Why what a scheduler answered is no list.
package enum LauncherAnswerError: ExplainedError, Hashable {
    case noList(String)

    package var code: String { "launcher-answer" }
    package var message: String {
        switch self {
        case .noList(let what): "its list is no \(what)."
        }
    }
    package var remedy: String { "Run the command by hand, as the coordinator's user." }
    package var exit: ExitCode { .configuration }
}

// MARK: templates

/// Commands that a configuration writes down.
package struct TemplateCalls: LauncherCalls {
    let templates: LauncherTemplates

    package init(_ templates: LauncherTemplates) { self.templates = templates }

    package func start(_ order: WorkerOrder) -> LauncherCall {
        let values = [
            "name": order.name.text, "coordinator": order.coordinator,
            "cell": Self.harmless(order.cell.map { "\($0.cell)" } ?? "any"),
            "idle": order.idleSeconds.map { WorkerOrder.text($0) } ?? "0",
        ]
        return LauncherCall(
            templates.start.map { Self.filled($0, values) },
            input: order.told
        )
    }

    package func list() -> LauncherCall { LauncherCall(templates.list) }

    /// A name a line; what follows a blank is for people, but for the word `pending`.
    package func listed(_ output: String) throws -> [ListedWorker] {
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

// MARK: Slurm

/// A batch job for each worker, by its name.
package struct SlurmCalls: LauncherCalls {
    let place: SlurmPlace

    package init(_ place: SlurmPlace) { self.place = place }

    /// The token is a line of the script that `sbatch` reads; Slurm shows it to the job's user alone.
    package func start(_ order: WorkerOrder) -> LauncherCall {
        var words = [
            "sbatch", "--parsable", "--job-name=\(order.name.text)", "--ntasks=1",
            // A worker that was cut off is replaced by one of another name.
            "--no-requeue",
            // The mark of the coordinator's children, too, stays here.
            "--export=PATH,HOME,USER,LANG", "--output=/dev/null",
        ]
        if let constraint = place.constraint { words.append("--constraint=\(constraint)") }
        if let partition = place.partition { words.append("--partition=\(partition)") }
        let worker = [place.program, "worker", "--coordinator", "-"] + order.workerWords
        let script = """
            #!/bin/sh
            exec \(worker.map(Self.quoted).joined(separator: " ")) <<'SNAPFARM_TOLD'
            \(order.told)SNAPFARM_TOLD

            """
        return LauncherCall(words + place.options, input: script)
    }

    package func list() -> LauncherCall {
        LauncherCall(["squeue", "--me", "--noheader", "--format=%T %j"])
    }

    package func listed(_ output: String) throws -> [ListedWorker] {
        output.split(whereSeparator: \.isNewline).compactMap { line in
            let words = line.split(separator: " ", maxSplits: 1)
            // A job that completes has no worker any more.
            guard words.count == 2, words[0] != "COMPLETING" else { return nil }
            return ListedWorker(String(words[1]), isPending: words[0] == "PENDING")
        }
    }

    package func stop(_ name: LaunchedName) -> LauncherCall {
        LauncherCall(["scancel", "--me", "--name=\(name.text)"])
    }

    static func quoted(_ word: String) -> String {
        "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
