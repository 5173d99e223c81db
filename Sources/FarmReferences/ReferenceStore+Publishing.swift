// A set becomes visible by its reference; a pin that Git merged as text names one that nobody made.
import FarmCore
import FarmGit

/// A set that became visible.
package struct PublishedSet: Sendable, Hashable, Codable {
    package var set: ObjectID
    /// Whether it was visible before.
    package var wasVisible: Bool
}

extension ReferenceStore {
    /// Makes the set of a pin visible, for example of one that stock Git merged as text.
    ///
    /// - Throws: `ReferenceStoreError` where the store lacks a suite or a picture of the pin.
    package func publish(_ pin: ReferencePin) throws -> PublishedSet {
        let lock = try StoreLock(sharing: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try GitRepository(opening: path)
        try repository.check(pin)
        try repository.checkFiles(of: pin)
        let set = try repository.writeSet(of: pin)
        let present = try repository.target(of: GitRepository.reference(ofSet: set))
        try repository.publish(set: set)
        return PublishedSet(set: set, wasVisible: present == set)
    }

    /// The pin that names the subtrees of a set.
    ///
    /// - Throws: `GitError` where the store lacks the set, or it is not one.
    package func pin(ofSet set: ObjectID) throws -> ReferencePin {
        try openRepository().pin(ofSet: set)
    }
}
