import FarmCore
import FarmTesting
import Foundation
import Testing

/// A network namespace, joined to this machine by one cable.
final class NetworkNamespace {
    /// This machine's end of the cable.
    static let address = "10.213.77.1"
    private static let other = "10.213.77.2"

    let name: String
    private let cable: String

    struct Failed: Error {
        let words: [String]
        let said: String
    }

    /// Whether this machine allows tests to create a network namespace.
    static let isAllowed: Bool = (try? NetworkNamespace()) != nil

    init() throws {
        let tail = String(UUID().uuidString.prefix(6).lowercased())
        name = "snapfarm-\(tail)"
        cable = "sf\(tail)a"
        try Self.ip(["netns", "add", name])
        let far = "sf\(tail)b"
        for words in [
            ["link", "add", cable, "type", "veth", "peer", "name", far, "netns", name],
            ["addr", "add", "\(Self.address)/30", "dev", cable],
            ["link", "set", cable, "up"],
            ["-n", name, "addr", "add", "\(Self.other)/30", "dev", far],
            ["-n", name, "link", "set", far, "up"],
            ["-n", name, "link", "set", "lo", "up"],
        ] {
            try Self.ip(words)
        }
    }

    deinit {
        _ = try? TestProcess.run(["ip", "link", "del", cable], seconds: 10)
        _ = try? TestProcess.run(["ip", "netns", "del", name], seconds: 10)
    }

    /// Pulls the cable or plugs it in again.
    func setCable(up: Bool) throws {
        try Self.ip(["link", "set", cable, up ? "up" : "down"])
    }

    private static func ip(_ words: [String]) throws {
        let ending = try TestProcess.run(["ip"] + words, seconds: 10)
        guard ending.status == 0 else { throw Failed(words: words, said: ending.errors) }
    }
}

extension ManyMachines {
    @Suite(
        "A worker in a network of its own",
        .serialized,
        .enabled(if: NetworkNamespace.isAllowed, "this machine allows no network namespaces")
    )
    struct FleetNamespaceTests {
        /// Returns a coordinator that listens on the cable only.
        private func fleet(_ network: NetworkNamespace, units: Int = 3) throws -> Fleet {
            let fleet = try Fleet(try Project(units: units))
            fleet.address = NetworkNamespace.address
            let recorded = try fleet.project.run([
                "--mode", "record", "--select", "job=snapshot_test",
            ])
            #expect(recorded.status == 0, "\(recorded.said)")
            return fleet
        }

        @Test("it runs unit and snapshot jobs from an empty folder, with nothing but one cable")
        func alone() throws {
            let network = try NetworkNamespace()
            let fleet = try fleet(network)
            try fleet.project.folder.write("pictures/two.png", Project.png(shade: 77))
            try fleet.serve(["--insecure"])
            let worker = try fleet.startWorker(
                "far",
                through: ["ip", "netns", "exec", network.name]
            )
            let ending = try fleet.run()
            #expect(ending.status == 1, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            let summary = try fleet.project.summary()
            #expect(summary.counts.withoutVerdict == 0 && summary.counts.changed == 2)
            #expect(fleet.project.exists("snapfarm-out/FailureDiffs.zip"))
        }

        @Test("a cable that is pulled and plugged in again costs no test")
        func cut() throws {
            let network = try NetworkNamespace()
            let fleet = try fleet(network, units: 4)
            try fleet.project.folder.write("act-unit", "sleep 1\n")
            try fleet.serve(["--insecure"])
            let worker = try fleet.startWorker(
                "far",
                through: ["ip", "netns", "exec", network.name]
            )
            let run = try fleet.submitting().start(["run", "app.yaml", "--coordinator", fleet.url])
            #expect(run.wait(seconds: 60) { worker.errors.contains("tests of unit_test") })
            try network.setCable(up: false)
            usleep(3_000_000)
            try network.setCable(up: true)
            let ending = run.ending(within: 110)
            #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            #expect(try fleet.project.summary().counts.withoutVerdict == 0)
        }
    }
}
