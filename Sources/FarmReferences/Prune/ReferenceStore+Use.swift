// Notes of use: each run records the set that it is compared with, so that a concurrent prune keeps
// it. The run's pin may be on no branch, or on a branch that has moved on.
import FarmCore
import FarmGit
import Foundation

extension ReferenceStore {
    /// Records that a run uses a pin's set now; a prune then keeps it for `FarmLimits.usedSetDays`.
    ///
    /// Waits while the store is being pruned. A second call on the same day writes nothing.
    ///
    /// - Throws: `ReferenceStoreError` if the store lacks a subtree of the pin.
    package func noteUse(of pin: ReferencePin, now: Date) throws {
        let today = PruneDay(secondsSince1970: now.timeIntervalSince1970)
        try withPruneBlocked {
            let repository = try openRepository()
            try repository.check(pin)
            let set = try repository.writeSet(of: pin)
            let name = "\(StoreContents.usedPrefix)\(today)/\(set)"
            guard try repository.create(reference: name, to: set) == .done else { return }
            // Notes of earlier days are obsolete.
            let former = try repository.references(matching: "\(StoreContents.usedPrefix)*")
                .filter { $0.target == set && $0.name != name }
            try repository.change(former.map { ReferenceEdit(name: $0.name, object: nil) })
        }
    }
}
