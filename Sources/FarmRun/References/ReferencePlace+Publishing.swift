// What must be true before a pin names a set: everybody who reads the pin can get the set. A store
// on a Git host is given the set first; if that fails, no pin has moved, and the set is one that
// nobody uses.
import FarmCore
import FarmReferences
import Foundation

extension ReferencePlace {
    /// Shows a set in the store's journal; a store on a host gets it first.
    ///
    /// Can be repeated. Returns the host, without secrets; nil for a store that is a folder.
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

/// A set that the host of the store did not take, so that no pin was moved.
struct SetNotPushed: ExplainedError {
    let cause: any ExplainedError

    var code: String { cause.code }
    var exit: ExitCode { cause.exit }
    var message: String { cause.message + " The pin was not moved." }
    var remedy: String { cause.remedy }
}
