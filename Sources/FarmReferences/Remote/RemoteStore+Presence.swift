// `refs check`: whether everybody can get what the pin names. What this machine has proves nothing
// about the remote, so the question is asked from an empty repository.
import FarmCore
import FarmGit
import Foundation

/// What a remote has of a pin.
package struct RemotePresence: Hashable, Sendable, Codable {
    package struct Missing: Hashable, Sendable, Codable {
        /// `<cell>/<folder>`, as the pin writes it.
        package var path: String
        package var object: ObjectID
        /// The pin's line, from 1.
        package var line: Int
    }

    package var set: ObjectID
    /// The remote keeps the set under its own name.
    ///
    /// A pin that Git merged from two may lack that although all it names is there; to push the
    /// pin makes it.
    package var isPublished: Bool
    /// Subtrees the remote does not have; at most `missingMax`.
    package var missing: [Missing]

    /// Servers name one missing object at a time.
    package static let missingMax = 20

    package var isComplete: Bool { missing.isEmpty }
}

extension RemoteStore {
    /// Connects as somebody who pushes, and pushes nothing.
    ///
    /// A host that lets nobody push says so here; one that refuses single branches does not.
    package func checkWriting() throws {
        try git.checkPush()
    }

    /// Asks the remote whether it has everything a pin names.
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
