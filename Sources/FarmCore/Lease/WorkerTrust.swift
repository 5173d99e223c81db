// What the farm thinks of a worker: from what it reports, and from what other workers make of the
// tests it failed. A worker that fails what others pass is broken; tests that fail everywhere are.
//
// Invariants
//   - Nobody is judged by its own word: only another worker confirms or refutes a failure.
//   - A worker is kept from work only while another one may take it: no run waits for ever.

/// What is known of one worker.
package struct WorkerTrust: Hashable, Sendable {
    /// It passed a test, or another worker confirmed a failure of it.
    package var isProven = false
    /// Failures that no other worker has confirmed or refuted; a pass takes one away.
    package var doubted = 0
    /// Milliseconds since 1970 of the last failure.
    package var doubtedAt: Int64 = 0
    /// Failures in a row that another worker confirmed: the tests are broken.
    package var confirmed = 0
    /// Failures that another worker passed: the worker is broken.
    package var refuted = 0
    /// Grows with each refuted failure, fades with each pass.
    package var blame = 0
    /// Why it gets no more work.
    package var aside: Problem?
    /// Why it says itself that it cannot work.
    package var unfit: Problem?

    package init() {}

    // MARK: what happens to it

    package mutating func passed(_ count: Int) {
        guard count > 0 else { return }
        isProven = true
        doubted = max(0, doubted - count)
        blame = max(0, blame - count)
    }

    package mutating func failed(now: Int64) {
        doubted = min(doubted + 1, Self.countMax)
        doubtedAt = now
    }

    /// Another worker failed what this one failed; both may be believed.
    package mutating func wasConfirmed() {
        isProven = true
        confirmed = min(confirmed + 1, Self.countMax)
        doubted = 0
        blame = max(0, blame - 1)
    }

    /// Another worker passed what this one failed.
    package mutating func wasRefuted(_ worker: WorkerID) {
        wasRefuted(worker, blame: Self.blameOfRefuted)
    }

    /// The same, of a failure on an overloaded host: it is the host's rather than the worker's.
    package mutating func wasExcused(_ worker: WorkerID) {
        wasRefuted(worker, blame: Self.blameOfExcused)
    }

    private mutating func wasRefuted(_ worker: WorkerID, blame more: Int) {
        confirmed = 0
        doubted = max(0, doubted - 1)
        refuted = min(refuted + 1, Self.countMax)
        blame = min(blame + more, Self.countMax)
        guard blame >= Self.blameMax, aside == nil else { return }
        aside = Problem(
            code: "worker-set-aside",
            message: "worker \(worker) was set aside: \(refuted) tests that failed on it passed on "
                + "other workers.",
            remedy: "Look at that machine and the worker's log (disk, browser, simulator), mend "
                + "it, and start the worker again."
        )
    }

    // MARK: what follows

    /// Whether a failure that was just noted needs the word of another worker to stand.
    ///
    /// A worker that never passed anything is always asked about; one whose failures others
    /// confirmed only now and then.
    package var asksAnother: Bool {
        guard isProven else { return true }
        return confirmed < Self.confirmedForTrust
            ? doubted > Self.standing : doubted > 0 && doubted % Self.sample == 0
    }

    /// Whether it waits for others to run what it failed; `planned` counts the run's test cases,
    /// `now` is in milliseconds since 1970.
    ///
    /// A hold ends by itself: who should have had a second look may be gone.
    package func isHeld(planned: Int, now: Int64) -> Bool {
        doubted >= Self.doubtedMax(planned: planned, isProven: isProven)
            && doubtedAt > Self.heldSince(now: now)
    }

    /// Failures after which a worker waits for others.
    package static func doubtedMax(planned: Int, isProven: Bool) -> Int {
        guard isProven else { return FarmLimits.canaryTestsMax }
        let share = planned / FarmLimits.doubtedShare
        return min(max(share, FarmLimits.canaryTestsMax), FarmLimits.doubtedMax)
    }

    /// Test cases that one lease of the worker may have, of a run that has `planned`.
    ///
    /// One that proved nothing begins with little; while the answer to that is on its way
    /// (`hasLease`), it gets what a trusted worker may fail before others have had a look.
    package func leaseMax(planned: Int, hasLease: Bool) -> Int {
        if isProven { return FarmLimits.testsPerLeaseMax }
        return Self.doubtedMax(planned: planned, isProven: hasLease)
    }

    /// A hold whose last failure is not younger has ended.
    package static func heldSince(now: Int64) -> Int64 {
        now - Int64(FarmLimits.doubtSecondsMax * 1000)
    }

    /// Counters stop here; nothing is decided by larger numbers.
    private static let countMax = 1_000_000
    /// Failures in a row that stand without another's word.
    private static let standing = 2
    /// Confirmed failures after which only some are asked about.
    private static let confirmedForTrust = 2
    /// Of the failures of a trusted worker, each tenth is asked about.
    private static let sample = 10
    /// Seven refuted failures without a pass set a worker aside.
    ///
    /// Blame of a sound worker fades quicker than flaky tests make it grow, unless every fourth of
    /// its tests is flaky.
    private static let blameOfRefuted = 3
    /// Twenty without a pass: a host so busy starves some tests of all its workers, a broken worker
    /// fails all of its own.
    private static let blameOfExcused = 1
    private static let blameMax = 20
}

/// The other workers that live, counted.
package struct WorkerPeers: Hashable, Sendable {
    /// May take work.
    package var able: Int
    /// These, and those that are held.
    package var sound: Int
    /// Set aside, but fit.
    package var aside: Int

    package init(able: Int, sound: Int, aside: Int) {
        self.able = able
        self.sound = sound
        self.aside = aside
    }

    package static let none = WorkerPeers(able: 0, sound: 0, aside: 0)

    package static func + (left: WorkerPeers, right: WorkerPeers) -> WorkerPeers {
        WorkerPeers(
            able: left.able + right.able,
            sound: left.sound + right.sound,
            aside: left.aside + right.aside
        )
    }
}

/// What a worker may do, beside its peers.
package struct WorkerStanding: Hashable, Sendable {
    /// Why it gets no work now; nil: it may.
    package var obstacle: Problem?
    /// Others may take work too: what it failed is for them.
    package var hasOthers: Bool

    /// Decides by the one rule: who is doubted waits while another may work; when nobody else may,
    /// it goes on, because a slow answer is better than none.
    ///
    /// `planned` counts the run's test cases; `now` is in milliseconds since 1970.
    package init(
        _ worker: WorkerID,
        _ trust: WorkerTrust,
        peers: WorkerPeers,
        planned: Int,
        now: Int64
    ) {
        if let unfit = trust.unfit {
            (obstacle, hasOthers) = (unfit, peers.sound + peers.aside > 0)
        } else if let aside = trust.aside {
            obstacle = peers.sound > 0 ? aside : nil
            hasOthers = peers.sound + peers.aside > 0
        } else if trust.isHeld(planned: planned, now: now) {
            obstacle = peers.able > 0 ? Self.held(worker, trust) : nil
            hasOthers = peers.sound > 0
        } else {
            (obstacle, hasOthers) = (nil, peers.able > 0)
        }
    }

    private static func held(_ worker: WorkerID, _ trust: WorkerTrust) -> Problem {
        Problem(
            code: "worker-held",
            message: "worker \(worker) waits: \(trust.doubted) tests failed on it, and no other "
                + "worker has run them yet.",
            remedy: "Nothing to do: other workers run some of them first."
        )
    }
}
