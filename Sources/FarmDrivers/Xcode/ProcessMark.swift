// Whose a thing is that outlives a process (a simulator, a file beside somebody's build): the mark
// of the process that made it, in its name. What has a live owner, or no mark, is never touched.
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
    /// Of this process alone: unlike a child's cookie it names none of those above, whose simulators
    /// these are not.
    static let own = mark(of: getpid())

    /// Of a process that is there.
    static func mark(of pid: Int32) -> String {
        "\(farm_process_namespace())-\(pid)-\(farm_process_start(pid))"
    }

    /// Whether the process that a mark names has certainly ended.
    ///
    /// Ids of another namespace say nothing here: its processes may all be alive.
    static func isGone(_ mark: String) -> Bool {
        let owners = CookieOwner.all(in: mark)
        guard owners.count == 1, let owner = owners.first,
            owner.namespace == farm_process_namespace()
        else { return false }
        return owner.isGone
    }
}
