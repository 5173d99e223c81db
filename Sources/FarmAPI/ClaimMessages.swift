// What a worker asks before each lease, and its answer: the one message that holds a job. Most of a
// job's text is the same in all of its leases, so a coordinator writes it once and puts what is a
// lease's own beside it. Measured with leases of five tests: coding each job anew was a tenth of all
// that a coordinator does.
import FarmCore
import Foundation
import Synchronization

/// `POST /workers/{id}/claim`: asks for work; waits up to `waitSeconds` for some.
package struct ClaimRequest: Codable, Sendable {
    /// Chosen by the worker; the same request gets the same lease again.
    package var request: String
    /// The cell the worker ran last.
    package var warm: CellID?
    package var waitSeconds: Double
    /// It also waits while no run is open; nil: it is told so at once.
    package var staysIdle: Bool?

    package init(
        request: String,
        warm: CellID?,
        waitSeconds: Double,
        staysIdle: Bool? = nil
    ) {
        self.request = request
        self.warm = warm
        self.waitSeconds = waitSeconds
        self.staysIdle = staysIdle
    }
}

package struct ClaimReply: Sendable {
    /// Nil: nothing waits for this worker now.
    package var lease: Lease?
    /// No run is open: an embedded worker may leave.
    package var idle: Bool
    /// Why this worker gets no work, whatever waits.
    package var obstacle: Problem?

    package init(lease: Lease?, idle: Bool, obstacle: Problem? = nil) {
        self.lease = lease
        self.idle = idle
        self.obstacle = obstacle
    }
}

extension ClaimReply: Codable {
    private enum CodingKeys: String, CodingKey {
        case lease, idle, obstacle
    }

    package func encode(to encoder: any Encoder) throws {
        var object = encoder.container(keyedBy: CodingKeys.self)
        try object.encodeIfPresent(lease.map { LeaseMessage($0) }, forKey: .lease)
        try object.encode(idle, forKey: .idle)
        try object.encodeIfPresent(obstacle, forKey: .obstacle)
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            lease: try object.decodeIfPresent(LeaseMessage.self, forKey: .lease)?.lease,
            idle: try object.decode(Bool.self, forKey: .idle),
            obstacle: try object.decodeIfPresent(Problem.self, forKey: .obstacle)
        )
    }
}

/// A lease as it travels.
private struct LeaseMessage: Codable {
    let own: OwnPart
    let shared: SharedPart

    /// What no other lease has.
    struct OwnPart: Codable {
        let token: LeaseToken
        let cell: Cell
        let tests: NameLines

        init(_ lease: Lease) {
            token = lease.token
            cell = lease.shard.cell
            tests = NameLines(lease.shard.tests.map(\.text))
        }
    }

    /// What all leases of one job of a run have.
    struct SharedPart: Codable {
        let run: RunID
        let mode: RunMode
        /// Without cells: a lease has one.
        let job: Job
        let prepared: [String: String]
        let workTree: String

        init(_ shard: Shard) {
            run = shard.run
            mode = shard.mode
            var job = shard.job
            job.cells = []
            self.job = job
            prepared = shard.prepared
            workTree = shard.workTree
        }
    }

    init(_ lease: Lease) {
        own = OwnPart(lease)
        shared = SharedPart(lease.shard)
    }

    var lease: Lease {
        var job = shared.job
        job.cells = [own.cell]
        let shard = Shard(
            run: shared.run,
            mode: shared.mode,
            job: job,
            cell: own.cell,
            tests: own.tests.names.map { TestID($0) },
            prepared: shared.prepared,
            workTree: shared.workTree
        )
        return Lease(token: own.token, shard: shard)
    }
}

/// Writes answers to claims; what leases share is written once.
package final class ClaimReplyWriter: Sendable {
    private struct Key: Hashable {
        let run: RunID
        let job: JobName
    }
    /// Plans never change, so what was written stays true.
    private let shared = Mutex<[Key: Data]>([:])

    package init() {}

    /// The same JSON as that of any encoder.
    package func json(_ reply: ClaimReply) throws -> Data {
        guard let lease = reply.lease, reply.obstacle == nil else {
            return try JSONEncoder().encode(reply)
        }
        var text = Data("{\"idle\":\(reply.idle),\"lease\":{\"own\":".utf8)
        text += try ownText(lease)
        text += Data(",\"shared\":".utf8)
        text += try sharedText(lease.shard)
        text += Data("}}".utf8)
        return text
    }

    /// Most names need no escapes, and an encoder costs more than all that is written here.
    private func ownText(_ lease: Lease) throws -> Data {
        let names = lease.shard.tests.map { $0.text }
        let own = [lease.token.id.text] + names
        guard !names.isEmpty, own.allSatisfy({ $0.utf8.allSatisfy(PlainText.isPlain) }) else {
            return try JSONEncoder().encode(LeaseMessage.OwnPart(lease))
        }
        let tests = names.joined(separator: "\\n")
        let (id, epoch) = (lease.token.id.text, lease.token.epoch)
        let seal = lease.token.seal.map { ",\"seal\":\"\($0)\"" } ?? ""
        var text = Data("{\"token\":{\"id\":\"\(id)\",\"epoch\":\(epoch)\(seal)}".utf8)
        text += Data(",\"tests\":\"\(tests)\",\"cell\":".utf8)
        text += try JSONEncoder().encode(lease.shard.cell)
        text += Data("}".utf8)
        return text
    }

    private func sharedText(_ shard: Shard) throws -> Data {
        let key = Key(run: shard.run, job: shard.job.name)
        if let known = shared.withLock({ $0[key] }) { return known }
        let text = try JSONEncoder().encode(LeaseMessage.SharedPart(shard))
        shared.withLock { shared in
            if shared.count >= FarmLimits.jobTextsMax { shared = [:] }
            shared[key] = text
        }
        return text
    }
}
