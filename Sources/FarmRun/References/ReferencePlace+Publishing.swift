// The publication of a set before a pin names it: every reader of the pin must be able to get the
// set. A store on a Git host gets the set first. If that fails, no pin moves, and the set stays
// unused.
import FarmCore
import FarmReferences
import Foundation

extension ReferencePlace {
    /// Publishes a set in the store's journal; a store on a host gets the set first.
    ///
    /// Can be repeated. Returns the host without secrets, or `nil` for a store that is a folder.
    ///
    /// - Throws: `SetNotPushed`, and `ReferenceStoreError`.
    @discardableResult
    func publish(
        _ pin: ReferencePin,
        since base: ReferencePin,
        note: JournalNote,
        cells: [Cell],
        in store: ReferenceStore,
        now: Date
    ) throws -> String? {
        guard let far = try remote() else {
            try store.appendJournal(of: pin, since: base, note: note, cells: cells, now: now)
            return nil
        }
        let entry = try store.journalEntry(
            of: pin,
            since: base,
            note: note,
            cells: cells,
            now: now
        )
        do {
            let pushed = try far.push(pin, journal: entry)
            if case .refused(let reason) = pushed.journal {
                Console.say("the journal of \(far.location) cannot be written: \(reason)")
            }
        } catch let error as any ExplainedError {
            throw SetNotPushed(cause: error)
        }
        return "\(far.location)"
    }
}

/// The error of a set that the store's host did not take, so that no pin was moved.
struct SetNotPushed: ExplainedError {
    let cause: any ExplainedError

    var code: String { cause.code }
    var exit: ExitCode { cause.exit }
    var message: String { cause.message + " The pin was not moved." }
    var remedy: String { cause.remedy }
}
