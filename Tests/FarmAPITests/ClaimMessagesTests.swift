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
            driver: .command(CommandSettings(discover: "d \(job)", run: "r")),
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

    @Test("come as they were, whether they were written anew or beside what was at hand")
    func written() throws {
        let writer = ClaimReplyWriter()
        let leases = [
            lease(1, "a", "c0", ["t0", "t1"]), lease(2, "a", "c\"1", []),
            lease(3, "b", "c0", ["with\nline", "ä \\ \""]), lease(4, "a", "c0", [""]),
            lease(5, "a", "c0", ["a\"b"]), lease(6, "a", "c0", ["a/b", "\\"]),
            lease(7, "a", "c0", ["\u{7f}", "é", "\t"]), lease(8, "a", "c0", ["", "x", ""]),
        ]
        for lease in leases {
            for idle in [false, true] {
                let reply = ClaimReply(lease: lease, idle: idle)
                for text in [try writer.json(reply), try JSONEncoder().encode(reply)] {
                    let read = try JSONDecoder().decode(ClaimReply.self, from: text)
                    #expect(read.lease == lease)
                    #expect(read.idle == idle)
                    #expect(read.obstacle == nil)
                }
            }
        }
    }

    @Test("are completed with the answer that an encoder would write")
    func completed() throws {
        for answer in [FencedAnswer.accepted, .duplicate, .stale] {
            for answers in [
                [], [.accepted], [.accepted, .accepted], [.accepted, .duplicate],
                [FencedAnswer.stale],
            ] {
                let reply = CompleteReply(answer: answer, answers: answers)
                for text in [try reply.json(), try JSONEncoder().encode(reply)] {
                    let read = try JSONDecoder().decode(CompleteReply.self, from: text)
                    #expect(read.answer == answer && read.reports == reply.reports)
                }
            }
        }
    }

    @Test("are not there where there is none")
    func none() throws {
        let problem = Problem(code: "c", message: "m", remedy: "r")
        for reply in [
            ClaimReply(lease: nil, idle: true), ClaimReply(lease: nil, idle: false),
            ClaimReply(lease: nil, idle: false, obstacle: problem),
            ClaimReply(lease: lease(1, "a", "c", ["t"]), idle: false, obstacle: problem),
        ] {
            let text = try ClaimReplyWriter().json(reply)
            let read = try JSONDecoder().decode(ClaimReply.self, from: text)
            #expect(read.lease == reply.lease)
            #expect(read.idle == reply.idle)
            #expect(read.obstacle == reply.obstacle)
        }
    }
}
