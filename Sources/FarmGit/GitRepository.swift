// An open handle of a repository. It is not safe to use from two threads at once: frequent readers
// share one behind a mutex, and each writer opens its own.
import CGit2
import FarmCore
import Foundation

/// A repository, closed when this value is released.
package final class GitRepository {
    /// The largest number of attempts to change a locked reference: one second in all.
    private static let lockAttemptsMax = 50
    private static let lockPauseMicroseconds: UInt32 = 20_000

    /// The path of the repository, as the caller gave it.
    package let path: String
    let handle: OpaquePointer
    let objects: OpaquePointer

    /// Opens a bare repository, or a `.git` folder as one.
    package convenience init(opening path: String) throws(GitError) {
        try self.init(path) { git_repository_open_bare($0, path) }
    }

    /// Opens a work tree, its `.git`, or a bare repository.
    package convenience init(at path: String) throws(GitError) {
        try self.init(path) { git_repository_open($0, path) }
    }

    /// Opens the repository that contains a folder.
    ///
    /// - Throws: `GitError.unsupported`, else `GitError.git` with libgit2's own words.
    package convenience init(containing path: String) throws(GitError) {
        var code: Int32 = 0
        do throws(GitError) {
            try self.init(path) { made in
                code = git_repository_open_ext(made, path, 0, nil)
                return code
            }
        } catch {
            if case .unsupported = error { throw error }
            guard code < 0 else { throw error }
            throw .git(doing: "open \(path)", reason: GitLibrary.reason(code))
        }
    }

    private init(
        _ path: String,
        _ open: (UnsafeMutablePointer<OpaquePointer?>) -> Int32
    ) throws(GitError) {
        try GitLibrary.start()
        var repository: OpaquePointer?
        guard open(&repository) == 0, let repository else {
            guard let name = GitLibrary.refusedExtension else { throw .notARepository(path: path) }
            throw .unsupported(path: path, extension: name)
        }
        var database: OpaquePointer?
        guard git_repository_odb(&database, repository) == 0, let database else {
            git_repository_free(repository)
            throw .notARepository(path: path)
        }
        self.path = path
        handle = repository
        objects = database
    }

    deinit {
        git_odb_free(objects)
        git_repository_free(handle)
    }

    // MARK: objects

    /// Whether the repository has the object; reads the packs' list again before it answers no.
    package func holds(_ object: ObjectID) -> Bool {
        var oid = object.oid
        return git_odb_exists(objects, &oid) == 1
    }

    /// Whether a pack known to this handle, or a loose file, has the object.
    package func knows(_ object: ObjectID) -> Bool {
        var oid = object.oid
        return git_odb_exists_ext(objects, &oid, GIT_ODB_LOOKUP_NO_REFRESH.rawValue) == 1
    }

    /// Returns kind and size of an object, or `nil` if it does not exist.
    package func header(
        of object: ObjectID
    ) throws(GitError) -> (kind: GitObjectKind, bytes: Int)? {
        var oid = object.oid
        var bytes = 0
        var kind = GIT_OBJECT_INVALID
        let code = git_odb_read_header(&bytes, &kind, objects, &oid)
        guard code != GIT_ENOTFOUND.rawValue else { return nil }
        try GitLibrary.check(code, "read the object \(object) of \(path)")
        return (try GitObjectKind(kind, of: object), bytes)
    }

    /// Reads the bytes of a blob, at most `bytesMax`; `what` names the blob in errors.
    package func blob(
        _ object: ObjectID,
        bytesMax: Int,
        what: String
    ) throws(GitError) -> Data {
        guard let header = try header(of: object) else {
            throw .objectMissing(object, what: what, repository: path)
        }
        guard header.kind == .blob else {
            throw .malformed(what: what, fact: "the object \(object) is not a blob")
        }
        guard header.bytes <= bytesMax else {
            throw .malformed(what: what, fact: "\(header.bytes) bytes, more than \(bytesMax)")
        }
        var oid = object.oid
        var raw: OpaquePointer?
        try GitLibrary.check(
            git_odb_read(&raw, objects, &oid),
            "read the object \(object) of \(path)"
        )
        defer { git_odb_object_free(raw) }
        guard let bytes = git_odb_object_data(raw) else { return Data() }
        return Data(bytes: bytes, count: git_odb_object_size(raw))
    }

    /// Writes a blob as a loose object, unless the repository has it.
    package func write(blob bytes: Data) throws(GitError) -> ObjectID {
        try write(bytes, as: .blob)
    }

    /// Writes an object unless the repository has it; the caller is responsible for its form.
    package func write(_ bytes: Data, as kind: GitObjectKind) throws(GitError) -> ObjectID {
        var oid = git_oid()
        let type = git_object_t(rawValue: Int32(kind.rawValue))
        let code = bytes.withUnsafeBytes {
            git_odb_write(&oid, objects, $0.baseAddress, $0.count, type)
        }
        try GitLibrary.check(code, "write a \(kind.word) to \(path)")
        return ObjectID(oid)
    }

    /// Reads an object, so that libgit2 hashes it; `what` names it in errors.
    package func rehash(_ object: ObjectID, what: String) throws(GitError) {
        var oid = object.oid
        var raw: OpaquePointer?
        try GitLibrary.check(
            git_odb_read(&raw, objects, &oid),
            "\(what): read the object \(object)"
        )
        git_odb_object_free(raw)
    }

    // MARK: references

    /// Returns the object of a Git reference, or `nil` if there is none or the name is not valid.
    package func target(of name: String) throws(GitError) -> ObjectID? {
        var oid = git_oid()
        let code = git_reference_name_to_id(&oid, handle, name)
        guard code != GIT_ENOTFOUND.rawValue, code != GIT_EINVALIDSPEC.rawValue else { return nil }
        try GitLibrary.check(code, "read \(name) of \(path)")
        return ObjectID(oid)
    }

    /// The result of changing a reference.
    package enum ReferenceChange {
        case done
        /// The reference exists already, or has changed meanwhile.
        case lost
    }

    /// Creates a Git reference that is not there yet.
    package func create(
        reference name: String,
        to object: ObjectID
    ) throws(GitError) -> ReferenceChange {
        var oid = object.oid
        var code = GIT_ELOCKED.rawValue
        for attempt in 1...Self.lockAttemptsMax where code == GIT_ELOCKED.rawValue {
            // Another process is creating it. Git holds such a lock for milliseconds and sends no
            // signal when it is released.
            if attempt > 1 { usleep(Self.lockPauseMicroseconds) }
            var reference: OpaquePointer?
            code = git_reference_create(&reference, handle, name, &oid, 0, nil)
            git_reference_free(reference)
        }
        guard code != GIT_EEXISTS.rawValue else { return .lost }
        try GitLibrary.check(code, "create \(name) in \(path)")
        return .done
    }

    /// Moves a Git reference if it still names `old`.
    package func move(
        reference name: String,
        from old: ObjectID,
        to object: ObjectID
    ) throws(GitError) -> ReferenceChange {
        var oid = object.oid
        var expected = old.oid
        var reference: OpaquePointer?
        let code = git_reference_create_matching(
            &reference,
            handle,
            name,
            &oid,
            1,
            &expected,
            nil
        )
        git_reference_free(reference)
        guard code != GIT_EMODIFIED.rawValue, code != GIT_ELOCKED.rawValue else { return .lost }
        try GitLibrary.check(code, "move \(name) in \(path)")
        return .done
    }

    // MARK: commits

    /// Writes a commit that no reference names yet.
    ///
    /// Author and committer are the same person at `seconds` since 1970, UTC.
    package func commit(
        tree: ObjectID,
        parents: [ObjectID],
        message: String,
        by person: GitPerson = .program,
        seconds: Int64
    ) throws(GitError) -> ObjectID {
        var signature: UnsafeMutablePointer<git_signature>?
        try GitLibrary.check(
            git_signature_new(&signature, person.name, person.mail, seconds, 0),
            "name the author of a commit"
        )
        defer { git_signature_free(signature) }
        let treeHandle = try lookUp(tree, GIT_OBJECT_TREE)
        defer { git_object_free(treeHandle) }
        var parentHandles: [OpaquePointer?] = []
        defer { for parent in parentHandles { git_object_free(parent) } }
        for parent in parents { parentHandles.append(try lookUp(parent, GIT_OBJECT_COMMIT)) }
        var oid = git_oid()
        let code = parentHandles.withUnsafeMutableBufferPointer {
            git_commit_create(
                &oid,
                handle,
                nil,
                signature,
                signature,
                nil,
                message,
                treeHandle,
                $0.count,
                $0.baseAddress
            )
        }
        try GitLibrary.check(code, "write a commit to \(path)")
        return ObjectID(oid)
    }

    /// Reads a commit.
    package func commit(_ object: ObjectID) throws(GitError) -> GitCommit {
        let commit = try lookUp(object, GIT_OBJECT_COMMIT)
        defer { git_object_free(commit) }
        return try GitCommit(commit, id: object)
    }

    /// Looks an object up; the caller must free it.
    func lookUp(
        _ object: ObjectID,
        _ kind: git_object_t
    ) throws(GitError) -> OpaquePointer? {
        var oid = object.oid
        var found: OpaquePointer?
        let code = git_object_lookup(&found, handle, &oid, kind)
        guard code != GIT_ENOTFOUND.rawValue else {
            throw .objectMissing(object, what: "object", repository: path)
        }
        try GitLibrary.check(code, "read the object \(object) of \(path)")
        return found
    }
}
