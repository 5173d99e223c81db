// The owner of a thing that outlives a process (a simulator, a file beside a user's build): the
// mark of the process that made it, in its name. A thing with a live owner, or without a mark, is
// never touched.
import CFarmShims
import Foundation

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

enum ProcessMark {
    /// The mark of this process alone: unlike a child's cookie it names no outer processes, which
    /// do not own these simulators.
    static let own = mark(of: getpid())

    /// Returns the mark of a process that exists: its namespace, id and start.
    static func mark(of pid: Int32) -> String {
        "\(farm_process_namespace())-\(pid)-\(farm_process_start(pid))"
    }

    /// Whether the process that a mark names has certainly ended.
    ///
    /// Ids of another namespace mean nothing here: its processes may all be alive.
    static func isGone(_ mark: String) -> Bool {
        let owners = CookieOwner.all(in: mark)
        guard owners.count == 1, let owner = owners.first,
            owner.namespace == farm_process_namespace()
        else { return false }
        return owner.isGone
    }
}
