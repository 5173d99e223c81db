// Git's objects as values: kinds, commits, and the ids of bytes.
import CGit2
import Crypto
import FarmCore
import Foundation

/// The kind of an object, with its number in packs.
package enum GitObjectKind: UInt8, Sendable {
    case commit = 1
    case tree = 2
    case blob = 3
    case tag = 4

    init(_ kind: git_object_t, of object: ObjectID) throws(GitError) {
        guard let known = GitObjectKind(rawValue: UInt8(clamping: kind.rawValue)) else {
            throw .malformed(what: "\(object)", fact: "Git knows no such kind of object")
        }
        self = known
    }

    /// The word that Git writes before an object's bytes.
    var word: String {
        switch self {
        case .commit: "commit"
        case .tree: "tree"
        case .blob: "blob"
        case .tag: "tag"
        }
    }
}

/// The contents of a commit, as readers of history need them.
package struct GitCommit: Sendable, Hashable {
    package var id: ObjectID
    package var tree: ObjectID
    package var parents: [ObjectID]
    /// The committer's time, in seconds since 1970.
    package var seconds: Int64
    package var message: String
    /// The first paragraph of the message in one line.
    package var summary: String

    init(_ commit: OpaquePointer?, id: ObjectID) throws(GitError) {
        guard let tree = git_commit_tree_id(commit) else {
            throw .malformed(what: "\(id)", fact: "the commit has no tree")
        }
        self.id = id
        self.tree = ObjectID(tree.pointee)
        parents = (0..<git_commit_parentcount(commit)).compactMap { index in
            git_commit_parent_id(commit, index).map { ObjectID($0.pointee) }
        }
        seconds = git_commit_time(commit)
        message = git_commit_message(commit).map { String(cString: $0) } ?? ""
        summary = git_commit_summary(commit).map { String(cString: $0) } ?? ""
    }
}

/// The author of a commit.
package struct GitPerson: Sendable, Hashable {
    package let name: String
    package let mail: String

    /// The author of the program's own commits.
    package static let program = GitPerson("snapfarm <snapfarm@localhost>")
    /// The largest number of characters in a name or an address; longer ones are mistakes.
    private static let charactersMax = 200

    /// Reads `Name <mail>`; a missing name or address is replaced by the program's.
    ///
    /// Characters that end a name or a line for Git are left out.
    package init(_ text: String) {
        let parts = text.split(separator: "<", maxSplits: 1).map(Self.plain)
        let name = parts.first ?? ""
        let mail = parts.count > 1 ? parts[1] : ""
        self.name = name.isEmpty ? "snapfarm" : name
        self.mail = mail.isEmpty ? "snapfarm@localhost" : mail
    }

    private static func plain(_ text: Substring) -> String {
        let scalars = text.unicodeScalars.filter { scalar in
            let category = scalar.properties.generalCategory
            return category != .control && category != .format && scalar != "<" && scalar != ">"
        }
        return String(String.UnicodeScalarView(scalars.prefix(charactersMax)))
            .trimmingCharacters(in: .whitespaces)
    }
}

extension ObjectID {
    /// Computes the id of an object with these bytes.
    package init(of kind: GitObjectKind, _ bytes: Data) {
        var hash = Insecure.SHA1()
        hash.update(data: Data("\(kind.word) \(bytes.count)\0".utf8))
        hash.update(data: bytes)
        self = hash.finalize().withUnsafeBytes { ObjectKey($0, at: 0) }.object
    }
}
