// Runs note what they are compared with, so that a prune beside them takes nothing from under them:
// their pins may be of no branch, or of one that has moved on since.
import FarmCore
import FarmGit
import Foundation

extension ReferenceStore {
    /// Notes that a run uses a pin's set now; a prune then keeps it for `FarmLimits.usedSetDays`.
    ///
    /// Waits while the store is being pruned; a second note of one day writes nothing.
    ///
    /// - Throws: `ReferenceStoreError` where the store does not have what the pin names.
    package func noteUse(of pin: ReferencePin, now: Date) throws {
        let today = PruneDay(secondsSince1970: now.timeIntervalSince1970)
        try holdingOffPrune {
            let repository = try openRepository()
            try repository.check(pin)
            let set = try repository.writeSet(of: pin)
            let name = "\(StoreContents.usedPrefix)\(today)/\(set)"
            guard try repository.create(reference: name, to: set) == .done else { return }
            // Days before this one say nothing more.
            let former = try repository.references(matching: "\(StoreContents.usedPrefix)*")
                .filter { $0.target == set && $0.name != name }
            try repository.change(former.map { ReferenceEdit(name: $0.name, object: nil) })
        }
    }
}
