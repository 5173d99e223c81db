// Follows objects from roots to everything they name, without recursion and each object once.
// Pictures are never read: that they are there is checked, their bytes are not.
import CGit2
import FarmCore
import Foundation

/// A commit as far as its links matter.
package struct RawCommit {
    package var tree: ObjectKey
    package var parents: [ObjectKey] = []
    /// Committer's time in seconds since 1970.
    package var seconds: Double = 0
    /// What follows the first blank line.
    package var message: Substring

    /// Reads a commit's bytes; nil where they are not one.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        let (head, message) = Self.split(bytes)
        self.message = message
        var tree: ObjectKey?
        for line in head.split(separator: "\n") {
            if line.hasPrefix("tree ") {
                tree = ObjectID(line.dropFirst(5)).map { ObjectKey($0) }
            } else if line.hasPrefix("parent ") {
                guard let parent = ObjectID(line.dropFirst(7)) else { return nil }
                parents.append(ObjectKey(parent))
            } else if line.hasPrefix("committer ") {
                seconds = line.split(separator: " ").dropLast().last.flatMap { Double($0) } ?? 0
            }
        }
        guard let tree else { return nil }
        self.tree = tree
    }

    package static func split(
        _ bytes: UnsafeRawBufferPointer
    ) -> (head: Substring, message: Substring) {
        let end = UInt8(ascii: "\n")
        let blank = bytes.indices.dropLast().first { bytes[$0] == end && bytes[$0 + 1] == end }
        let head = String(decoding: bytes[..<(blank ?? bytes.count)], as: UTF8.self)
        guard let blank else { return (head[...], "") }
        return (head[...], String(decoding: bytes[(blank + 2)...], as: UTF8.self)[...])
    }
}

/// All objects that were reached so far.
package struct ObjectMark {
    /// What to do where an object is missing.
    package enum Missing {
        case refuse
        case passOver
    }

    package private(set) var reached: Set<ObjectKey> = []
    /// Objects named by what was passed over, and not there.
    package private(set) var missing: Set<ObjectKey> = []
    private let repository: GitRepository
    /// Where objects lie; replaced after new ones were written.
    package var table: ObjectTable

    /// What is thrown for an object that must be there and is not.
    private let refusal: (ObjectID) -> any Error

    package init(
        repository: GitRepository,
        table: ObjectTable,
        refusal: @escaping (ObjectID) -> any Error
    ) {
        self.repository = repository
        self.table = table
        self.refusal = refusal
    }

    /// Reaches an object and all it names.
    ///
    /// - Throws: with `.refuse`, the refusal of an object that is missing.
    package mutating func add(_ root: ObjectID, missing policy: Missing) throws {
        var waiting = [ObjectKey(root)]
        guard reached.insert(waiting[0]).inserted else {
            // Reached before, perhaps where holes were passed over.
            if policy == .refuse, missing.contains(waiting[0]) { try refuse(waiting[0]) }
            return
        }
        while let key = waiting.popLast() {
            let found: Bool? = try repository.withObject(key) { kind, bytes in
                try follow(kind, bytes, of: key, policy, &waiting)
                return true
            }
            if found == nil { try miss(key, policy) }
        }
    }

    private mutating func follow(
        _ kind: GitObjectKind,
        _ bytes: UnsafeRawBufferPointer,
        of key: ObjectKey,
        _ policy: Missing,
        _ waiting: inout [ObjectKey]
    ) throws {
        switch kind {
        case .tree: try followTree(bytes, of: key, policy, &waiting)
        case .commit:
            guard let commit = RawCommit(bytes) else { throw malformed(key, "a commit") }
            for next in [commit.tree] + commit.parents where reached.insert(next).inserted {
                waiting.append(next)
            }
        case .tag:
            let line = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
            guard line.hasPrefix("object "), let next = ObjectID(line.dropFirst(7)) else {
                throw malformed(key, "a tag")
            }
            if reached.insert(ObjectKey(next)).inserted { waiting.append(ObjectKey(next)) }
        case .blob: break
        }
    }

    /// `<mode in octal> <name>\0<20 bytes>`, again and again.
    private mutating func followTree(
        _ bytes: UnsafeRawBufferPointer,
        of key: ObjectKey,
        _ policy: Missing,
        _ waiting: inout [ObjectKey]
    ) throws {
        var place = 0
        while place < bytes.count {
            let first = bytes[place]
            let second = place + 1 < bytes.count ? bytes[place + 1] : 0
            while place < bytes.count, bytes[place] != 0 { place += 1 }
            place += 1
            guard place + ObjectKey.byteCount <= bytes.count else {
                throw malformed(key, "a folder")
            }
            let next = ObjectKey(bytes, at: place)
            place += ObjectKey.byteCount
            // 160000 is another repository's commit; 40000 a folder; all others are blobs.
            if first == UInt8(ascii: "1"), second == UInt8(ascii: "6") { continue }
            guard reached.insert(next).inserted else {
                if policy == .refuse, missing.contains(next) { try refuse(next) }
                continue
            }
            if first == UInt8(ascii: "4") {
                waiting.append(next)
            } else if table.places[next] == nil, !repository.holds(next) {
                try miss(next, policy)
            }
        }
    }

    private mutating func miss(_ key: ObjectKey, _ policy: Missing) throws {
        if policy == .refuse { try refuse(key) }
        missing.insert(key)
    }

    private func refuse(_ key: ObjectKey) throws {
        throw refusal(key.object)
    }

    private func malformed(_ key: ObjectKey, _ what: String) -> GitError {
        .damaged(file: repository.path, fact: "the object \(key.object) is not \(what)")
    }
}

extension GitRepository {
    /// Lends the bytes of an object, whose hash libgit2 has checked; nil where there is none.
    package func withObject<Result>(
        _ key: ObjectKey,
        _ body: (GitObjectKind, UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result? {
        var oid = key.oid
        var raw: OpaquePointer?
        let code = git_odb_read(&raw, objects, &oid)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try GitLibrary.check(code, "read the object \(key.object) of \(path)")
        defer { git_odb_object_free(raw) }
        let bytes = UnsafeRawBufferPointer(
            start: git_odb_object_data(raw),
            count: git_odb_object_size(raw)
        )
        return try body(try GitObjectKind(git_odb_object_type(raw), of: key.object), bytes)
    }

    package func holds(_ key: ObjectKey) -> Bool {
        var oid = key.oid
        return git_odb_exists(objects, &oid) == 1
    }

    package func rawCommit(_ object: ObjectID) throws -> RawCommit? {
        let commit: RawCommit?? = try withObject(ObjectKey(object)) { kind, bytes in
            kind == .commit ? RawCommit(bytes) : nil
        }
        return commit ?? nil
    }
}
