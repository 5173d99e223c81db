// The calls of a coordinator to the process that runs it: publish a new set, report events, and ask
// whether it leads.
import FarmCore
import FarmReferences
import Foundation

/// A reference set that was just written to a store; no journal shows it yet.
package struct NewSet: Sendable {
    package let pipeline: String
    package let pin: ReferencePin
    /// The reference pin of the run's plan, which the set builds on.
    package let base: ReferencePin
    package let note: JournalNote
    /// Every cell of the run, in the order of its plan.
    package let cells: [Cell]
    package let now: Date
    /// The store that the set was written to.
    package let store: ReferenceStore

    /// Appends the set to the journal of its store.
    package func appendJournal() throws {
        try store.appendJournal(of: pin, since: base, note: note, cells: cells, now: now)
    }
}

/// The calls of a coordinator to the process that runs it.
package struct CoordinatorHooks: Sendable {
    /// Publishes a new set before its run shows that it was recorded; may take long.
    package var publish: @Sendable (NewSet) throws -> Void = { try $0.appendJournal() }
    /// Called with each event, which is durable already; must return at once.
    package var onEvent: @Sendable (FarmEvent) -> Void = { _ in }

    /// Returns whether this coordinator leads.
    ///
    /// Only the leader ends runs and takes back leases.
    package var leads: @Sendable () -> Bool = { true }

    /// Returns the teams that share the coordinator.
    package var teams: @Sendable () -> Teams = { Teams() }

    /// The seconds for which the coordinator retries a failing judgement, or `nil` for no limit.
    ///
    /// After that time the run ends with the reason; without a limit it stays open.
    package var judgePatienceSeconds: Double?

    package init() {}
}
