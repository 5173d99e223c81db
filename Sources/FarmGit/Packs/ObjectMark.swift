// Follows objects from roots to everything they reach, without recursion and each object once.
// Pictures are not read: only their existence is checked.
import CGit2
import FarmCore
import Foundation

/// The contents of a commit: its links, time and message.
package struct RawCommit {
    package var tree: ObjectKey
    package var parents: [ObjectKey] = []
    /// The committer's time, in seconds since 1970.
    package var seconds: Double = 0
    /// The commit's message: the text after the first blank line.
    package var message: Substring

    /// Parses the bytes of a commit; returns `nil` if they are not one.
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

/// A walk over objects, and the objects that it has reached so far.
package struct ObjectMark {
    /// The treatment of a missing object.
    package enum Missing {
        case refuse
        case passOver
    }

    package private(set) var reached: Set<ObjectKey> = []
    /// The ids of the missing objects that were passed over.
    package private(set) var missing: Set<ObjectKey> = []
    private let repository: GitRepository
    /// The place of each object in packs and loose files.
    ///
    /// The caller replaces the table after it wrote new objects.
    package var table: ObjectTable

    /// The function that makes the error for a missing object that must exist.
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

    /// Marks an object and all objects that it reaches.
    ///
    /// - Throws: with `.refuse`, the error of `refusal` for a missing object.
    package mutating func add(_ root: ObjectID, missing policy: Missing) throws {
        var waiting = [ObjectKey(root)]
        guard reached.insert(waiting[0]).inserted else {
            // It was reached before, perhaps by a walk that passed over missing objects.
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

    /// Parses a tree: `<mode in octal> <name>\0<20 bytes>`, repeated.
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
            // Mode 160000 is another repository's commit, 40000 a folder; all others are blobs.
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
    /// Calls `body` with the bytes of an object, whose hash libgit2 has checked.
    ///
    /// Returns `nil` if the object does not exist.
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
