// A worker as the coordinator sees one: it claims, runs, renews, reports, completes, and asks again
// for answers that do not come. It follows FarmWorker's order of calls, and also that of workers
// that never notice they lost their lease.
import FarmAPI
import FarmCore

/// What a worker asks.
enum Call: Sendable {
    case hello(host: String)
    case claim(ClaimRequest)
    case renew(LeaseToken, TestID?, started: [TestID])
    case put(Digest)
    case report(LeaseToken, [TestReport])
    case complete(LeaseToken, [TestReport], LeaseEvidence)
    case release(LeaseToken)
}

/// What it is answered.
enum Answer: Sendable {
    case done
    case claimed(ClaimReply)
    case fenced(FencedAnswer)
    case completed(CompleteReply)
    case fencedAll([FencedAnswer])
}

/// A call on its way, and again when its answer does not come.
struct PendingCall {
    let call: Call
    /// The lease it is about; 0 for none.
    let epoch: Int64
    var sent = 1

    var isRelease: Bool { if case .release = call { true } else { false } }
}

/// A lease in its worker's hands.
struct HeldLease {
    let lease: Lease
    /// Position of the next test to start.
    var next = 0
    var running: TestID?
    /// Those it had no time for.
    var leftOver: [TestID] = []
    /// Reports that wait for their blobs, then for their turn.
    var unready: [TestReport] = []
    var waiting: [TestReport] = []
    var isReporting = false
    var isEnding = false
    /// When the coordinator last said that it lives.
    var confirmedAt: Int64

    var epoch: Int64 { lease.token.epoch }
    var isDriven: Bool { next >= lease.shard.tests.count && running == nil && unready.isEmpty }
    /// Whether its program says its results at its end, as xcodebuild does: in every fourth lease.
    var holdsReports: Bool { epoch % 4 == 1 }
    /// Tests that have ended, of which nothing was said yet.
    var started: [TestID] { holdsReports ? (waiting + unready).map(\.test) : [] }
    /// Whether its last reports go with its completion.
    ///
    /// Those of every third lease do not, as where the coordinator is quicker than the tests' end.
    var endsWithReports: Bool { !epoch.isMultiple(of: 3) }
    /// Whether the shard's time is over before its next test: in every fifth lease when half of its
    /// tests have ended.
    var isOutOfTime: Bool {
        let tests = lease.shard.tests.count
        return epoch.isMultiple(of: 5) && next > 0 && next < tests && 2 * next >= tests
    }
}

/// One worker process.
struct SimulatedWorker {
    let id: WorkerID
    let slot: Int
    /// Two slots share a host.
    var host: String { "h\(slot / 2)" }
    let isSick: Bool
    /// Tests take so many times as long.
    let slowness: Double
    /// Times a call is sent before the worker gives up.
    let patience: Int
    /// Whether it drops a lease that was not confirmed for as long as a lease lives.
    let watches: Bool
    var isAlive = true
    /// It does nothing before this time, and does not know.
    var hangsUntil: Int64 = 0
    /// No message comes or goes before this time.
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

    /// FarmWorker's order: a lease has ended, or is given back, before the next is claimed.
    var wantsLease: Bool {
        isAlive && !isClaiming && held == nil && !pending.values.contains(where: \.isRelease)
    }

    mutating func nextClaim() -> ClaimRequest {
        claims += 1
        return ClaimRequest(request: "\(id)-\(claims)", warm: warm, waitSeconds: 0)
    }
}
