// A run's calls of Apple's tools as reproducible text. Slots take leases in any order, so calls are
// grouped: those without a simulator, and for each simulator the calls from its creation to its
// deletion, beside the launches in it.
import FarmTesting
import Foundation

/// The calls of one run on one or more Macs.
struct XcodeCalls {
    private struct Call {
        let line: String
        /// The events during the call.
        var events: [String] = []

        var text: String { ([line] + events).joined(separator: "\n") }
        /// The name of the call's simulator, with the mark of the process that made it.
        var simulator: Substring? { text.firstMatch(of: #/<(snapfarm-[^>]+)>/#)?.1 }
        /// The id of the launch in its result bundle's name.
        ///
        /// Calls that read the bundle have the same id.
        var launch: Substring? { line.firstMatch(of: #/launch-([0-9A-F]{8})\.xcresult/#)?.1 }
        var isBuild: Bool { line.contains("build-for-testing") }
    }

    /// The number of builds.
    private(set) var builds = 0
    /// The simulators that were created and not deleted.
    private(set) var simulatorsLeft: Set<Substring> = []
    private var others: Set<String> = []
    /// Launches by the calls of their simulator's life; simulators with equal lives are merged.
    private var launches: [String: [String]] = [:]

    /// Reads the Macs' traces; `names` maps names to the paths that they replace.
    init(_ macs: [StandInMac], names: [String: String]) throws {
        let options = names.flatMap { ["--name", "\($0.key)=\($0.value)"] }
        for mac in macs { add(Self.calls(try mac.trace(["--events"] + options))) }
    }

    private static func calls(_ trace: String) -> [Call] {
        var calls: [Call] = []
        for line in trace.split(separator: "\n") {
            if line.hasPrefix("    "), !calls.isEmpty {
                calls[calls.count - 1].events.append(String(line.dropFirst(4)))
            } else {
                calls.append(Call(line: String(line)))
            }
        }
        return calls
    }

    private mutating func add(_ calls: [Call]) {
        builds += calls.count { $0.isBuild }
        var results: [Substring: [String]] = [:]
        for call in calls where call.simulator == nil {
            let text = Self.plain(call.line)
            if let launch = call.launch {
                results[launch, default: []].append(text)
            } else {
                others.insert(text)
            }
        }
        let bySimulator = Dictionary(grouping: calls) { $0.simulator ?? "" }
        for (simulator, calls) in bySimulator where !simulator.isEmpty {
            add(calls, of: simulator, results)
        }
    }

    private mutating func add(
        _ calls: [Call],
        of simulator: Substring,
        _ results: [Substring: [String]]
    ) {
        var life: [String] = []
        var launches: [String] = []
        for call in calls {
            guard !call.line.hasPrefix("xcodebuild"), !call.line.contains(" xcodebuild ") else {
                let read = call.launch.flatMap { results[$0] } ?? []
                let words = [Self.plain(call.line)] + call.events.flatMap(Self.launch) + read
                launches.append(words.joined(separator: "\n"))
                continue
            }
            // The last used simulator is shut down once, earlier ones twice.
            let line = Self.plain(call.line)
            if !life.contains(line), !line.hasSuffix("-> exit 149") { life.append(line) }
        }
        if calls.last?.line.contains("simctl delete") != true { simulatorsLeft.insert(simulator) }
        self.launches[life.joined(separator: "\n"), default: []] += launches
    }

    /// Returns a line for each setting and variable of a launched test process, or nothing for
    /// other events.
    private static func launch(_ event: String) -> [String] {
        guard event.hasPrefix("launch "),
            let facts = try? JSONSerialization.jsonObject(with: Data(event.dropFirst(7).utf8))
                as? [String: Any]
        else { return [] }
        var lines: [String] = []
        for (name, value) in facts.sorted(by: { $0.key < $1.key }) where name != "device" {
            guard name == "environment", let variables = value as? [String: String] else {
                let text = try? JSONSerialization.data(
                    withJSONObject: value,
                    options: [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
                )
                lines.append("    \(name): \(String(decoding: text ?? Data(), as: UTF8.self))")
                continue
            }
            for (name, value) in variables.sorted(by: { $0.key < $1.key }) {
                lines.append("    \(name)=\(value)")
            }
        }
        return lines.map(plain)
    }

    /// Returns a text without the parts that differ between runs: ids, random names, and the paths
    /// of leases and builds.
    ///
    /// Variables for tests are kept in their launch, and removed before each call.
    private static func plain(_ text: String) -> String {
        text.replacing(#/TEST_RUNNER_\w+=("[^"]*"|\S*) /#, with: "")
            .replacing(#/<snapfarm-\d+-\d+-\d+ ([^>]*?)( #\d+)?>/#) { "<\($0.1)>" }
            .replacing(#/snapfarm-\d+-\d+-\d+/#, with: "snapfarm-MARK")
            .replacing(#/([-_])[0-9A-F]{8}(?![0-9A-Za-z])/#) { "\($0.1)ID" }
            .replacing(#/[^\s="]*\/\.snapfarm\/xcode\/Pay-[0-9a-f]{8}/#, with: "$BUILD")
            .replacing(#/[^\s="]*\/scratch\/(?:[^\s="]*?\/)?L\d+\//#, with: "$LEASE/")
    }

    /// The whole text.
    var text: String {
        let lives = launches.sorted { $0.key < $1.key }.map { life, launches in
            "A simulator:\n\(life)\n" + launches.sorted().map { "\nA launch:\n\($0)\n" }.joined()
        }
        return "Without a simulator:\n\(others.sorted().joined(separator: "\n"))\n\n"
            + lives.joined(separator: "\n")
    }
}
