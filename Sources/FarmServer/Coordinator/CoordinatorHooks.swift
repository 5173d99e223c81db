// What a coordinator leaves to the process that runs it: where new sets are shown, and who hears of
// what has happened.
import FarmCore
import FarmReferences
import Foundation

/// A set that was written and that no journal shows yet.
package struct NewSet: Sendable {
    package let pipeline: String
    package let pin: ReferencePin
    /// What it was made over.
    package let base: ReferencePin
    package let note: JournalNote
    /// Every cell of its run, in the order of the plan.
    package let cells: [Cell]
    package let now: Date
    /// Where it was written.
    package let store: ReferenceStore

    /// Shows it in the journal of the store that it was written to.
    package func appendJournal() throws {
        try store.appendJournal(of: pin, since: base, note: note, cells: cells, now: now)
    }
}

/// What a coordinator calls outside of itself.
package struct CoordinatorHooks: Sendable {
    /// Shows a set before its run says that it was recorded; may take long.
    package var publish: @Sendable (NewSet) throws -> Void = { try $0.appendJournal() }
    /// Hears of what is durable already, and must return at once.
    package var hear: @Sendable (FarmEvent) -> Void = { _ in }

    /// Whether this coordinator ends runs and takes leases back; of several, the one that leads does.
    package var leads: @Sendable () -> Bool = { true }

    /// Seconds for which the coordinator retries a judgement that fails; then the run ends with the
    /// reason.
    ///
    /// `nil`: it retries without end, and the run stays open.
    package var judgePatienceSeconds: Double?

    package init() {}
}
