// A worker as the coordinator sees it: it claims, runs, renews, reports, completes, and repeats
// calls without an answer. It follows FarmWorker's order of calls, and also that of workers that
// never notice that they lost their lease.
import FarmAPI
import FarmCore

/// A worker's call.
enum Call: Sendable {
    case hello(host: String)
    case claim(ClaimRequest)
    case renew(LeaseToken, TestID?, started: [TestID])
    case put(Digest)
    case report(LeaseToken, [TestReport])
    case complete(LeaseToken, [TestReport], LeaseEvidence)
    case release(LeaseToken)
}

/// The coordinator's answer.
enum Answer: Sendable {
    case done
    case claimed(ClaimReply)
    case fenced(FencedAnswer)
    case completed(CompleteReply)
    case fencedAll([FencedAnswer])
}

/// A call without an answer so far.
struct PendingCall {
    let call: Call
    /// The epoch of its lease, or 0 if it has none.
    let epoch: Int64
    var sent = 1

    var isRelease: Bool { if case .release = call { true } else { false } }
}

/// A lease held by its worker.
struct HeldLease {
    let lease: Lease
    /// The position of the next test to start.
    var next = 0
    var running: TestID?
    /// The tests for which there was no time.
    var leftOver: [TestID] = []
    /// Reports that wait for their blobs, and those that wait for their turn.
    var unready: [TestReport] = []
    var waiting: [TestReport] = []
    var isReporting = false
    var isEnding = false
    /// The time of the coordinator's last confirmation of the lease.
    var confirmedAt: Int64

    var epoch: Int64 { lease.token.epoch }
    var isDriven: Bool { next >= lease.shard.tests.count && running == nil && unready.isEmpty }
    /// Whether its program reports results only at its end, like xcodebuild: in every fourth lease.
    var holdsReports: Bool { epoch % 4 == 1 }
    /// The tests to report as started: those that ended, while the program holds their results.
    var started: [TestID] { holdsReports ? (waiting + unready).map(\.test) : [] }
    /// Whether its last reports are sent with its completion.
    ///
    /// Those of every third lease are not, as if the coordinator answered before the tests ended.
    var endsWithReports: Bool { !epoch.isMultiple(of: 3) }
    /// Whether the shard's time is over before its next test: in every fifth lease, when half of
    /// its tests have ended.
    var isOutOfTime: Bool {
        let tests = lease.shard.tests.count
        return epoch.isMultiple(of: 5) && next > 0 && next < tests && 2 * next >= tests
    }
}

/// A worker process.
struct SimulatedWorker {
    let id: WorkerID
    let slot: Int
    /// The worker's host; two slots share a host.
    var host: String { "h\(slot / 2)" }
    let isSick: Bool
    /// The factor by which its tests take longer.
    let slowness: Double
    /// The number of times a call is sent before the worker gives up.
    let patience: Int
    /// Whether it drops a lease that was not confirmed for the lifetime of a lease.
    let watches: Bool
    var isAlive = true
    /// The worker does nothing before this time, without noticing.
    var hangsUntil: Int64 = 0
    /// The worker exchanges no messages before this time.
    var cutUntil: Int64 = 0
    var claims = 0
    var isClaiming = false
    var warm: CellID?
    var held: HeldLease?
    var pending: [Int: PendingCall] = [:]

    init(slot: Int, generation: Int, isSick: Bool, _ random: inout SimulatorRandom) {
        id = WorkerID("w\(slot).\(generation)")
        self.slot = slot
        self.isSick = isSick
        slowness = Double(random.number(5...30)) / 10
        patience = random.number(3...12)
        watches = random.chance(70)
    }

    func has(_ epoch: Int64) -> Bool { held?.epoch == epoch }

    /// Follows FarmWorker's order: a lease has ended, or is released, before the next is claimed.
    var wantsLease: Bool {
        isAlive && !isClaiming && held == nil && !pending.values.contains(where: \.isRelease)
    }

    mutating func nextClaim() -> ClaimRequest {
        claims += 1
        return ClaimRequest(request: "\(id)-\(claims)", warm: warm, waitSeconds: 0)
    }
}
