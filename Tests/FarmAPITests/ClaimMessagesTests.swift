import FarmAPI
import FarmCore
import Foundation
import Testing

@Suite("Leases as messages")
struct ClaimMessagesTests {
    private func lease(_ number: Int64, _ job: String, _ cell: String, _ tests: [String]) -> Lease {
        let cell = Cell(
            id: CellID(cell),
            device: Device(name: "\"d\"", width: 1, height: 2, scale: 3),
            variant: []
        )
        let job = Job(
            name: JobName(job),
            kind: .snapshot,
            driver: DriverSettings("command", ["discover": "d \(job)", "run": "r"]),
            cells: [cell]
        )
        let shard = Shard(
            run: RunID("r"),
            mode: .verify,
            job: job,
            cell: cell,
            tests: tests.map { TestID($0) },
            prepared: ["bundle": "1"],
            workTree: "/tmp/ä"
        )
        return Lease(token: LeaseToken(id: LeaseID("L\(number)"), epoch: number), shard: shard)
    }

    @Test("come as they were, whatever the tests are called")
    func written() throws {
        let problem = Problem(code: "c", message: "m", remedy: "r")
        let leases = [
            nil, lease(1, "a", "c0", ["t0", "t1"]), lease(2, "a", "c\"1", []),
            lease(3, "b", "c0", ["with\nline", "ä \\ \""]), lease(4, "a", "c0", [""]),
            lease(5, "a", "c0", ["\u{7f}", "é", "\t"]), lease(6, "a", "c0", ["", "x", ""]),
        ]
        for lease in leases {
            for (idle, obstacle) in [(false, nil), (true, nil), (false, problem)] {
                let reply = ClaimReply(lease: lease, idle: idle, obstacle: obstacle)
                let bytes = try JSONEncoder().encode(reply)
                let read = try JSONDecoder().decode(ClaimReply.self, from: bytes)
                #expect(read.lease == lease)
                #expect(read.idle == idle)
                #expect(read.obstacle == obstacle)
            }
        }
    }
}
