// `refs check`: whether every clone can fetch the pin's set. The objects on this machine prove
// nothing about the remote, so the request is made from an empty repository.
import FarmCore
import FarmGit
import Foundation

/// The presence of a pin's set and subtrees at a remote.
package struct RemotePresence: Hashable, Sendable, Codable {
    package struct Missing: Hashable, Sendable, Codable {
        /// The path `<cell>/<folder>`, as the pin writes it.
        package var path: String
        package var object: ObjectID
        /// The pin's line, from 1.
        package var line: Int
    }

    package var set: ObjectID
    /// Whether the remote has the set under its own name.
    ///
    /// A pin that Git merged from two may lack that name although all its subtrees are there.
    /// Pushing the pin creates it.
    package var isPublished: Bool
    /// The subtrees that the remote lacks, at most `missingMax`.
    package var missing: [Missing]

    /// The largest number of missing subtrees that are looked for: servers name one missing object
    /// in each request.
    package static let missingMax = 20

    package var isComplete: Bool { missing.isEmpty }
}

extension RemoteStore {
    /// Checks that the host accepts a connection with the rights of a push; pushes nothing.
    ///
    /// Throws if the host refuses all pushes. Does not notice a host that refuses single branches.
    package func checkWriting() throws {
        try git.checkPush()
    }

    /// Returns which subtrees of a pin the remote has and lacks.
    package func presence(of pin: ReferencePin) throws -> RemotePresence {
        let set = pin.setID
        let references = try access.retrying { try self.git.references() }
        _ = try layout(of: references)
        let names = RemoteLayout.allCases.map { $0.set(set) }
        var presence = RemotePresence(
            set: set,
            isPublished: names.contains { references[$0] == set },
            missing: []
        )
        guard !presence.isPublished else { return presence }
        try GitProgram.check(access)
        let scratch = try ScratchRepository(naming: location)
        let git = GitProgram(access: access, location: location, folder: scratch.path)
        var wanted = pin.entries.enumerated().map { index, entry in
            RemotePresence.Missing(
                path: entry.path.text,
                object: entry.object,
                line: 2 * index + 1
            )
        }
        while !wanted.isEmpty, presence.missing.count < RemotePresence.missingMax {
            let objects = Set(wanted.map(\.object.hex)).sorted()
            let answer = try access.retrying {
                try git.fetch(objects, filter: .noTrees, doing: "asking for the pin's folders")
            }
            guard case .refused(let object, let failure) = answer else { break }
            let refused = wanted.filter { $0.object == object }
            guard !refused.isEmpty else { throw failure.error }
            presence.missing += refused
            wanted.removeAll { $0.object == object }
        }
        presence.missing.sort { $0.line < $1.line }
        return presence
    }
}
