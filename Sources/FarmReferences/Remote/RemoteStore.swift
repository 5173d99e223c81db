// A reference store on another machine (or in another folder), used through a clone on this
// machine. The clone is an ordinary reference store that may lack pictures. Only missing objects
// are fetched from the remote.
//
// Invariants
//   - A set is visible at the remote whole or not at all: its reference is created last, by the
//     remote itself, after all its objects arrived and were checked.
//   - The journal is pushed after the set, and nothing depends on it.
//   - The clone's configuration names the remote without secrets.
import FarmCore
import FarmGit
import Foundation

/// A remote reference store and its clone on this machine.
///
/// Every call may be made from any thread, blocks while it works, and is safe to repeat. `access`
/// sets how often a lost connection is tried again.
package struct RemoteStore: Sendable {
    package let location: StoreLocation
    package let clone: ReferenceStore
    let access: RemoteAccess

    /// Opens the clone at `path`, or creates an empty one; makes no request to the remote.
    package init(of location: StoreLocation, cloneAt path: String, access: RemoteAccess) throws {
        self.location = location
        self.access = access
        if FileManager.default.fileExists(atPath: path) {
            clone = try ReferenceStore(opening: path)
        } else {
            clone = try ReferenceStore.create(at: path)
        }
        try clone.openRepository().remember(location)
    }

    /// The Git program, run in the clone.
    var git: GitProgram { GitProgram(access: access, location: location, folder: clone.path) }

    /// Points a reference of the remote to another object, or removes it if `object` is `nil`.
    ///
    /// With `isForced` the new object need not descend from the old one.
    ///
    /// - Throws: `RemoteStoreError.refused`, or `RemoteError` if the transfer failed.
    func change(_ name: String, to object: ObjectID?, isForced: Bool = false) throws {
        let spec = "\(isForced ? "+" : "")\(object?.hex ?? ""):\(name)"
        let pushed = try access.retrying { try git.push([spec]) }
        guard let reason = pushed.refusal else { return }
        throw RemoteStoreError.refused(remote: "\(location)", reference: name, reason: reason)
    }

    /// Locks a remote that is a folder of this machine against a prune.
    ///
    /// Returns `nil` for other remotes.
    func remoteLock() throws -> StoreLock? {
        guard let path = location.localPath, FileManager.default.fileExists(atPath: path) else {
            return nil
        }
        return try StoreLock(shared: path)
    }
}

/// The names of the store's own references at a remote.
enum RemoteLayout: CaseIterable {
    /// The references are below `refs/snapfarm/`, as in a local store.
    case custom
    /// The references are below `refs/tags/snapfarm/`, for hosts with only branches and tags.
    case tags

    /// The prefix of all references of the store.
    var family: String { self == .custom ? "refs/snapfarm" : "refs/tags/snapfarm" }

    var format: String { "\(family)/format" }
    /// The prefix of a probe's references; one that remains was left by a probe that was cut off.
    var probe: String { "\(family)/probe-" }

    func set(_ set: ObjectID) -> String {
        self == .custom ? "\(family)/sets/\(set)" : "\(family)/\(set)"
    }

    /// Returns the layout of a remote with these references, or `nil` if it is not a store.
    ///
    /// - Throws: `RemoteStoreError.unknownFormat` for a store of a later format.
    static func of(
        _ references: [String: ObjectID],
        remote: String
    ) throws(RemoteStoreError) -> RemoteLayout? {
        for layout in allCases {
            guard let format = references[layout.format] else { continue }
            guard format != ObjectID(ofBlob: Data(ReferenceStore.format.utf8)) else {
                return layout
            }
            // The format is a small number, so its blob id can be guessed without a fetch.
            let known = (0...99).first { ObjectID(ofBlob: Data("\($0)".utf8)) == format }
            throw .unknownFormat(remote: remote, format: known.map(String.init) ?? "\(format)")
        }
        return nil
    }
}

extension RemoteStore {
    /// Returns the layout of the store with these references; throws if it is not a store.
    func layout(of references: [String: ObjectID]) throws(RemoteStoreError) -> RemoteLayout {
        let remote = "\(location)"
        if let layout = try RemoteLayout.of(references, remote: remote) { return layout }
        let count = references.keys.count { $0.hasPrefix("refs/") }
        throw .notAStore(
            remote: remote,
            fact: count == 0
                ? "the repository is empty" : "none of \(count) references is a store's"
        )
    }
}

extension GitRepository {
    /// Writes the remote's URL to the clone's configuration: Git fetches missing objects there.
    fileprivate func remember(_ location: StoreLocation) throws(GitError) {
        let name = "remote.\(GitProgram.remote).url"
        guard try setting(name) != location.url else { return }
        let lock = try StoreLock(shared: path)
        defer { withExtendedLifetime(lock) {} }
        try configure([(name, location.url)])
    }
}
