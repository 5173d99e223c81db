// How Swift meets libgit2: set it up once, turn its codes into errors, and convert object ids.
// libgit2 keeps its error text per thread: it is read at once, with no suspension in between.
import CFarmShims
import CGit2
import FarmCore

/// libgit2 as this process uses it.
package enum GitLibrary {
    /// Of the library that this process runs with.
    package static var version: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        git_libgit2_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }

    /// Bytes of one mapped window of a pack, and of all windows together.
    ///
    /// The defaults (1 and 8 GiB) would let one large store take the machine's memory. Writing a
    /// folder looks at the head of each picture in it, and each look makes 64 KiB around it
    /// resident.
    private static let windowBytes = 8 << 20
    private static let mappedBytes = 48 << 20

    /// The result of the one set-up of this process.
    private static let started: Int32 = {
        let code = git_libgit2_init()
        return code < 0 ? code : farm_git_set_options(windowBytes, mappedBytes)
    }()

    /// Must be called before anything else of libgit2; cheap when repeated.
    static func start() throws(GitError) {
        try check(started, "start libgit2")
    }

    /// Throws what libgit2 says about a negative code.
    static func check(
        _ code: Int32,
        _ doing: @autoclosure () -> String
    ) throws(GitError) {
        guard code < 0 else { return }
        throw .git(doing: doing(), reason: reason(code))
    }

    /// The extension of a repository for which libgit2 has just refused to open it; nil for other
    /// failures.
    static var refusedExtension: String? {
        guard let error = git_error_last(), let text = error.pointee.message else { return nil }
        let words = String(cString: text)
        let beginning = "unsupported extension name extensions."
        return words.hasPrefix(beginning) ? String(words.dropFirst(beginning.count)) : nil
    }

    /// libgit2's own words about the last failure on this thread.
    static func reason(_ code: Int32) -> String {
        guard let error = git_error_last(), let text = error.pointee.message else {
            return "libgit2 error \(code)"
        }
        return "\(String(cString: text)) (libgit2 error \(code))"
    }
}

extension ObjectID {
    init(_ oid: git_oid) {
        var oid = oid
        let length = Int(GIT_OID_HEXSZ)
        let text = withUnsafeTemporaryAllocation(of: CChar.self, capacity: length + 1) { buffer in
            git_oid_tostr(buffer.baseAddress, length + 1, &oid)
            return buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        guard let object = ObjectID(text) else {
            preconditionFailure("libgit2 writes an object id as 40 hex digits, not \(text)")
        }
        self = object
    }

    /// The id as libgit2 takes it.
    var oid: git_oid {
        var oid = git_oid()
        let code = git_oid_fromstr(&oid, hex)
        precondition(code == 0, "an ObjectID holds 40 hex digits")
        return oid
    }
}
