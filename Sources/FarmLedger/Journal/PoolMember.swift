// A coordinator of a pool: it follows the leader's journal, and takes over if no coordinator leads.
// PostgreSQL decides which one leads.
//
// Invariants
//   - A copy is changed by the journal's entries in their order, or as a leader.
//   - A copy that differs from the journal is replaced by a snapshot before a leader reads it.
//   - A leader's first change comes after every change of the leader before it.
import FarmCore
import Foundation
import Synchronization

/// A coordinator of a pool, whose coordinators share one ledger: it follows the leader or leads.
package final class PoolMember: Sendable {
    package let ledger: SQLiteLedger
    package let me: PoolMemberID
    let journal: LedgerJournal
    /// The pool's store for following, over a connection of its own.
    let reader: any JournalStore
    /// The pool's store for leading, over a connection of its own.
    let writer: any JournalStore
    let limits: PoolLimits
    private let scratch: String
    let say: @Sendable (LeadershipEvent) -> Void
    private let state = Mutex(State())

    private struct State {
        var standing = PoolStanding()
        var lookedAt: ContinuousClock.Instant?
        var heardAt = ContinuousClock.now
        var restsUntil = ContinuousClock.now
        var led = false
        var looks = 0
        var reportedAt = ContinuousClock.now
        /// Whether a check has shown that the journal has the entry at the copy's position.
        var isVerified = false
    }

    /// Makes a member of a pool over a ledger with a journal.
    ///
    /// `scratch` is a folder for snapshots on their way.
    package init(
        _ ledger: SQLiteLedger,
        journal: LedgerJournal,
        me: PoolMemberID,
        reader: any JournalStore,
        writer: any JournalStore,
        limits: PoolLimits = PoolLimits(),
        scratch: String,
        say: @escaping @Sendable (LeadershipEvent) -> Void
    ) {
        self.ledger = ledger
        self.journal = journal
        self.me = me
        self.reader = reader
        self.writer = writer
        self.limits = limits
        self.scratch = scratch
        self.say = say
    }

    package var standing: PoolStanding { state.withLock { $0.standing } }

    /// The number of times that this member has looked at the pool (see ``look()``).
    package var looks: Int { state.withLock { $0.looks } }

    /// Whether this process leads the pool.
    package var leads: Bool { journal.term != nil }

    /// The URL of another coordinator that leads and lives, or `nil` if there is none.
    package var otherLeader: String? {
        state.withLock { state in
            guard let row = state.standing.row, let looked = state.lookedAt,
                row.holder != me.holder, !row.url.isEmpty
            else { return nil }
            let left = row.millisecondsLeft
            return looked.duration(to: .now) < .milliseconds(left) ? row.url : nil
        }
    }

    /// Makes the pool if it is not there, with this member's ledger as its first snapshot.
    ///
    /// - Throws: `PoolError.ownLedger` if the ledger holds runs that are in no pool; `.poolGone` if
    ///   it is a copy of a pool that is gone.
    package func join(randomTx: Data) throws {
        let position = try ledger.position()
        if position.tx.isEmpty, try !ledger.isEmpty() {
            throw PoolError.ownLedger(ledger.path)
        }
        guard try reader.pool() == nil else { return }
        guard try position.seq == 0 && ledger.isEmpty() else {
            throw PoolError.poolGone(ledger.path)
        }
        let first = JournalEntry(seq: 0, tx: randomTx, changeset: Data())
        let file = try scratchFile()
        defer { try? FileManager.default.removeItem(atPath: file) }
        try ledger.snapshot(to: file, startingAt: first)
        _ = try reader.create(file, first, format: ledger.schema.format)
    }

    /// Follows the pool's leader, and leads if no coordinator does, until it is cancelled.
    ///
    /// Calls `onLeading` after each takeover, before the next look at the pool, and `onStepDown`
    /// after each end of the lead.
    package func run(
        onLeading: @Sendable () async throws -> Void,
        onStepDown: @Sendable () -> Void
    ) async throws {
        let thread = BlockingQueue("pool")
        while !Task.isCancelled {
            do {
                let led = state.withLock { $0.led }
                if try await thread.run({ try self.look() }) { try await onLeading() }
                if led, !state.withLock({ $0.led }) { onStepDown() }
            } catch is CancellationError {
                return
            } catch {
                note(error)
                // Each try to get a copy reads a snapshot: pause first.
                if !(error is JournalStoreError) {
                    try await Task.sleep(for: .seconds(limits.restSeconds))
                }
            }
            try await Task.sleep(for: .seconds(limits.lookSeconds))
        }
    }

    /// Ends this member's lead at once, so that another one may take over.
    package func leave() {
        guard leads else { return }
        journal.stepDown("it was stopped")
        try? writer.handOver()
        writer.leave()
    }

    private func note(_ error: any Error) {
        let reason = Self.words(error)
        let code = (error as? any ExplainedError)?.code ?? "\(type(of: error))"
        // Each kind of error once: a lost connection may turn into a refused password.
        let isNew = state.withLock { state in
            defer { (state.standing.problem, state.standing.problemCode) = (reason, code) }
            return state.standing.problemCode != code
        }
        if isNew { say(.unreachable(reason: reason)) }
    }

    static func words(_ error: any Error) -> String {
        switch error {
        case let error as PoolError: error.description
        case let error as any ExplainedError: error.message
        case let error as DifferentCopy: "this copy differs from it: \(error.reason)"
        default: "\(error)"
        }
    }

    /// Clears the problem of the last look at the pool, because this one succeeded.
    private func isWell() {
        let wasProblem = state.withLock { state in
            defer { (state.standing.problem, state.standing.problemCode) = (nil, nil) }
            return state.standing.problem != nil
        }
        if wasProblem { say(.reachable) }
    }

    // MARK: one look

    /// Reads the pool's row, then follows or leads; returns whether this coordinator has just
    /// become the leader.
    package func look() throws -> Bool {
        defer {
            state.withLock { $0.looks += 1 }
            report()
        }
        if leads {
            if try lead() { isWell() }
            return false
        }
        if state.withLock({ $0.led }) {
            rest(journal.lastReason)
            return false
        }
        let tookOver = try follow()
        isWell()
        return tookOver
    }

    /// Reports the copy's position for people, at most once a second.
    ///
    /// A failure harms nothing.
    private func report() {
        let isDue = state.withLock { state in
            guard state.reportedAt.duration(to: .now) >= .seconds(1) else { return false }
            state.reportedAt = .now
            return true
        }
        guard isDue, let position = try? ledger.position() else { return }
        state.withLock { $0.standing.seq = position.seq }
        try? reader.report(seq: position.seq, format: ledger.schema.format)
    }

    private func rest(_ reason: String) {
        writer.leave()
        state.withLock {
            $0.led = false
            $0.isVerified = false
            $0.restsUntil = .now + .seconds(limits.restSeconds)
        }
        say(.steppedDown(reason: reason))
    }

    /// Extends the leader's deadline if that is due; returns whether it did.
    private func lead() throws -> Bool {
        let sinceHeard = state.withLock { $0.heardAt.duration(to: .now) }
        guard sinceHeard >= .seconds(limits.heartbeatSeconds) else { return false }
        do {
            let position = try ledger.position()
            let isLocked = try writer.tryLock()
            guard let row = try writer.confirm(isLocked: isLocked) else {
                journal.stepDown("another coordinator leads")
                return false
            }
            guard row.seq >= position.seq else {
                journal.stepDown(
                    "the journal lost changes: it had \(position.seq), it has \(row.seq)"
                )
                return false
            }
            heard(row)
            return true
        } catch {
            if sinceHeard > .milliseconds(limits.deadlineMilliseconds) {
                journal.stepDown("the database did not answer")
            }
            throw error
        }
    }

    private func heard(_ row: PoolRow) {
        state.withLock { state in
            state.heardAt = .now
            state.lookedAt = .now
            state.standing.row = row
        }
    }

    private func follow() throws -> Bool {
        guard let row = try reader.pool() else { throw PoolError.poolGone(ledger.path) }
        guard row.holder != PoolMemberID.folder else { throw PoolError.moved }
        let before = state.withLock { $0.standing.row }
        heard(row)
        if row.holder != before?.holder, row.holder != me.holder { say(.follows(url: row.url)) }
        guard row.format > LedgerSchema.formatBefore else {
            throw LedgerError.unreleased("of the pool at \(row.url)")
        }
        guard row.format <= ledger.schema.format else {
            if before?.format != row.format { say(.tooOld(format: row.format)) }
            state.withLock { $0.standing.canRead = false }
            return false
        }
        try follow(to: row)
        // A coordinator that stepped down lets others take over first.
        if row.holder == me.holder, state.withLock({ $0.restsUntil > .now }) { return false }
        let gotLock = try row.isLocked && row.holder != me.holder && writer.tryLock()
        let step = TakeoverRules.step(
            row,
            me: me.holder,
            gotLock: gotLock,
            format: ledger.schema.format
        )
        guard step != .wait else { return false }
        return try takeOver(row, afterDeadline: step == .afterDeadline)
    }

    /// Applies the journal's entries to the copy up to the position in `row`.
    package func follow(to row: PoolRow) throws {
        do {
            try verify(row)
            try ledger.follow(to: row.seq, entries(after:))
        } catch let different as DifferentCopy {
            try restore(to: row.seq, because: different.reason)
        }
        let format = try ledger.format()
        state.withLock {
            $0.standing.seq = row.seq
            $0.standing.canRead = format == ledger.schema.format
        }
    }

    /// Checks that the copy has the pool's format, and that the journal has the entry at its
    /// position.
    ///
    /// - Throws: `DifferentCopy` if not.
    private func verify(_ row: PoolRow) throws {
        let format = try ledger.format()
        guard format == row.format else {
            throw DifferentCopy(seq: row.seq, reason: "it has format \(format), not \(row.format)")
        }
        let position = try ledger.position()
        guard position.seq <= row.seq else {
            throw DifferentCopy(
                seq: row.seq,
                reason: "it has changes up to \(position.seq) and the journal up to \(row.seq)"
            )
        }
        guard !state.withLock({ $0.isVerified }) else { return }
        guard try reader.entry(position.seq)?.tx == position.tx else {
            throw DifferentCopy(seq: position.seq, reason: "it is not what the journal says")
        }
        state.withLock { $0.isVerified = true }
    }

    private func entries(after seq: Int64) throws -> [JournalEntry] {
        try reader.entries(after: seq, limit: limits.entriesMax)
    }

    /// Replaces the copy by the newest snapshot and the entries after it, up to `last`.
    private func restore(to last: Int64, because reason: String) throws {
        guard let seq = try reader.snapshots().first else { throw PoolError.noSnapshot }
        let file = try scratchFile()
        defer { try? FileManager.default.removeItem(atPath: file) }
        try reader.readSnapshot(seq, to: file)
        let isFresh = try ledger.position().tx.isEmpty
        try ledger.replace(with: file, to: last, entries(after:))
        state.withLock { $0.isVerified = true }
        if !isFresh { say(.restored(seq: seq, reason: reason)) }
    }

    private func takeOver(_ seen: PoolRow, afterDeadline: Bool) throws -> Bool {
        let isLocked = try writer.tryLock()
        guard
            var row = try writer.takeOver(
                seen: seen.term,
                afterDeadline: afterDeadline,
                isLocked: isLocked
            )
        else {
            // Frees the lock for the coordinator that leads now.
            writer.leave()
            return false
        }
        // The journal may have been set back and have come to the same number again.
        state.withLock { $0.isVerified = false }
        try follow(to: row)
        if row.format < ledger.schema.format {
            guard try raiseFormat(&row) else { return false }
        }
        try ledger.raiseNumbers()
        state.withLock { $0.led = true }
        heard(row)
        journal.lead(in: row.term)
        say(.leads(term: row.term))
        return true
    }

    /// Raises the format of a pool to that of this program, and migrates its rows; followers with
    /// an older program stop.
    private func raiseFormat(_ row: inout PoolRow) throws -> Bool {
        let entry = JournalEntry(seq: row.seq + 1, tx: journal.newTx(), changeset: Data())
        // If this process ends now, its copy differs from the journal, and it starts from a
        // snapshot.
        state.withLock { $0.isVerified = false }
        try ledger.migrate()
        let file = try scratchFile()
        defer { try? FileManager.default.removeItem(atPath: file) }
        try ledger.snapshot(to: file, startingAt: entry)
        let format = ledger.schema.format
        guard try writer.raiseFormat(file, entry, term: row.term, format: format) else {
            return false
        }
        row.seq = entry.seq
        row.format = format
        state.withLock { $0.standing.canRead = true }
        say(.formatRaised(format))
        return true
    }

    func scratchFile() throws -> String {
        let file = scratch + "/snapshot-\(UUID().uuidString).sqlite"
        try FileManager.default.createDirectory(
            atPath: scratch,
            withIntermediateDirectories: true
        )
        return file
    }
}
