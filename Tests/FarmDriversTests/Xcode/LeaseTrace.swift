// The launches of leases in simulators, from the stand-in's trace: a launch's result path contains
// the lease's folder.
import Foundation

/// The launches of all leases of a Mac.
struct LeaseTrace {
    private struct Launch {
        let lease: String
        let udid: String
        /// The range from the first event to the last, which ends early for a killed launch.
        var span: ClosedRange<Int>
        var tests: [String] = []
    }

    /// The launches by the number of their start event.
    private var launches: [Int: Launch] = [:]

    init(_ mac: XcodeMac) throws {
        for event in try mac.events() {
            guard let number = event["n"] as? Int else { continue }
            if event["event"] as? String == "start" {
                launches[number] = Self.launch(event["argv"] as? [String] ?? [], number)
            } else if let call = event["call"] as? Int, var launch = launches[call] {
                launch.span = launch.span.lowerBound...max(launch.span.upperBound, number)
                if let test = event["test"] as? String { launch.tests.append(test) }
                launches[call] = launch
            }
        }
    }

    /// Returns `nil` if the words are no launch of tests.
    private static func launch(_ words: [String], _ number: Int) -> Launch? {
        let text = words.joined(separator: " ")
        guard let lease = text.firstMatch(of: #/-resultBundlePath \S*/(lease[0-9]+)/#),
            let udid = text.firstMatch(of: #/,id=([0-9A-F-]+)/#)
        else { return nil }
        return Launch(lease: String(lease.1), udid: String(udid.1), span: number...number)
    }

    /// The simulators used by two leases at once; a use lasts from a lease's first launch there to
    /// its last.
    var sharedSimulators: [String] {
        var spans: [String: [String: ClosedRange<Int>]] = [:]
        for launch in launches.values {
            let before = spans[launch.udid]?[launch.lease] ?? launch.span
            let first = min(before.lowerBound, launch.span.lowerBound)
            let last = max(before.upperBound, launch.span.upperBound)
            spans[launch.udid, default: [:]][launch.lease] = first...last
        }
        return spans.filter { _, leases in
            let ordered = leases.values.sorted { $0.lowerBound < $1.lowerBound }
            return zip(ordered, ordered.dropFirst()).contains { $0.overlaps($1) }
        }.keys.sorted()
    }

    /// Tests that ended twice in one lease, as `lease1 ShopTests/A/testOne()`.
    var testsRunTwice: [String] {
        let all = launches.values.flatMap { launch in launch.tests.map { "\(launch.lease) \($0)" } }
        return Dictionary(grouping: all, by: \.self).filter { $0.value.count > 1 }.keys.sorted()
    }
}
