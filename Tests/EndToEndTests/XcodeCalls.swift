// What a run asked of Apple's tools, as text that is the same every time. Slots take leases in any
// order, so calls are put together by what they are about: those that name no simulator, and of each
// simulator the calls of its life, from its making to its end, beside the launches in it.
import FarmTesting
import Foundation

/// The calls of one run on one or several Macs.
struct XcodeCalls {
    private struct Call {
        let line: String
        /// What happened in it.
        var events: [String] = []

        var text: String { ([line] + events).joined(separator: "\n") }
        /// With the mark of the process that made it.
        var simulator: Substring? { text.firstMatch(of: #/<(snapfarm-[^>]+)>/#)?.1 }
        /// The result bundle's own; the calls that read the bundle have it too.
        var launch: Substring? { line.firstMatch(of: #/launch-([0-9A-F]{8})\.xcresult/#)?.1 }
        var isBuild: Bool { line.contains("build-for-testing") }
    }

    /// How often something was built.
    private(set) var builds = 0
    /// What was made and not deleted.
    private(set) var simulatorsLeft: Set<Substring> = []
    private var others: Set<String> = []
    /// By the life of their simulator; two simulators that lived alike are one.
    private var launches: [String: [String]] = [:]

    /// What the Macs' traces hold; `names` says what stands in place of a path.
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
            // The one that is used last is shut down once, those before it a second time.
            let line = Self.plain(call.line)
            if !life.contains(line), !line.hasSuffix("-> exit 149") { life.append(line) }
        }
        if calls.last?.line.contains("simctl delete") != true { simulatorsLeft.insert(simulator) }
        self.launches[life.joined(separator: "\n"), default: []] += launches
    }

    /// What the process of the tests was given, a line for each variable; nothing of other events.
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

    /// Without what differs from run to run: ids, random names, and the paths of leases and builds.
    ///
    /// What tests are given stands in their launch, and not before each call.
    private static func plain(_ text: String) -> String {
        text.replacing(#/TEST_RUNNER_\w+=("[^"]*"|\S*) /#, with: "")
            .replacing(#/<snapfarm-\d+-\d+-\d+ ([^>]*?)( #\d+)?>/#) { "<\($0.1)>" }
            .replacing(#/snapfarm-\d+-\d+-\d+/#, with: "snapfarm-MARK")
            .replacing(#/([-_])[0-9A-F]{8}(?![0-9A-Za-z])/#) { "\($0.1)ID" }
            .replacing(#/[^\s="]*\/\.snapfarm\/xcode\/Pay-[0-9a-f]{8}/#, with: "$BUILD")
            .replacing(#/[^\s="]*\/scratch\/(?:[^\s="]*?\/)?L\d+\//#, with: "$LEASE/")
    }

    /// All of it.
    var text: String {
        let lives = launches.sorted { $0.key < $1.key }.map { life, launches in
            "A simulator:\n\(life)\n" + launches.sorted().map { "\nA launch:\n\($0)\n" }.joined()
        }
        return "Without a simulator:\n\(others.sorted().joined(separator: "\n"))\n\n"
            + lives.joined(separator: "\n")
    }
}
