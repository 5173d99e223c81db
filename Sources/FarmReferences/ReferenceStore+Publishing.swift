// Publishing: makes a set visible by creating its reference. A pin that Git merged as text names a
// set that has none yet.
import FarmCore
import FarmGit

/// The result of making a set visible.
package struct PublishedSet: Sendable, Hashable, Codable {
    package var set: ObjectID
    /// Whether the set was visible before the call.
    package var wasVisible: Bool
}

extension ReferenceStore {
    /// Makes the set of a pin visible, for example after Git merged two pins as text.
    ///
    /// - Throws: `ReferenceStoreError` if the store lacks a suite of the pin, `GitError` if it
    ///   lacks a picture.
    package func publish(_ pin: ReferencePin) throws -> PublishedSet {
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        let repository = try GitRepository(opening: path)
        try repository.check(pin)
        try repository.checkFiles(of: pin)
        let set = try repository.writeSet(of: pin)
        let present = try repository.target(of: GitRepository.reference(ofSet: set))
        try repository.publish(set: set)
        return PublishedSet(set: set, wasVisible: present == set)
    }

    /// Returns the pin that names the subtrees of a set.
    ///
    /// - Throws: `GitError` if the store lacks the set, or the object is not a set.
    package func pin(ofSet set: ObjectID) throws -> ReferencePin {
        try openRepository().pin(ofSet: set)
    }
}
