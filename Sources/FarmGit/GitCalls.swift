// Calls of libgit2 from Swift: sets the library up once, turns its codes into errors, and converts
// object ids. libgit2 keeps its error text per thread, so it is read at once, without a suspension
// in between.
import CFarmShims
import CGit2
import FarmCore

/// The settings and errors of libgit2 in this process.
package enum GitLibrary {
    /// The version of the library at run time.
    package static var version: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        git_libgit2_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }

    /// The largest size in bytes of one mapped window of a pack (`mappedBytes`: of all windows).
    ///
    /// The defaults (1 and 8 GiB) would let one large store use all memory of the machine. Writing
    /// a folder reads the header of each picture in it, and each such read makes 64 KiB around it
    /// resident.
    private static let windowBytes = 8 << 20
    private static let mappedBytes = 48 << 20

    /// The code that setting up libgit2 returned; computed once in this process.
    private static let started: Int32 = {
        let code = git_libgit2_init()
        return code < 0 ? code : farm_git_set_options(windowBytes, mappedBytes)
    }()

    /// Sets up libgit2.
    ///
    /// Must be called before any other call of libgit2; repeating it is cheap.
    static func start() throws(GitError) {
        try check(started, "start libgit2")
    }

    /// Throws libgit2's error if the code is negative.
    static func check(
        _ code: Int32,
        _ doing: @autoclosure () -> String
    ) throws(GitError) {
        guard code < 0 else { return }
        throw .git(doing: doing(), reason: reason(code))
    }

    /// The extension for which libgit2 has just refused to open a repository, or `nil` after other
    /// failures.
    static var refusedExtension: String? {
        guard let error = git_error_last(), let text = error.pointee.message else { return nil }
        let words = String(cString: text)
        let beginning = "unsupported extension name extensions."
        return words.hasPrefix(beginning) ? String(words.dropFirst(beginning.count)) : nil
    }

    /// The text of libgit2 about the last failure on this thread.
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

    /// The id as libgit2's type.
    var oid: git_oid {
        var oid = git_oid()
        let code = git_oid_fromstr(&oid, hex)
        precondition(code == 0, "an ObjectID holds 40 hex digits")
        return oid
    }
}
