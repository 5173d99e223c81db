// Ends and removes what is left of farm processes that were killed together with their guards.
// Names only show where to look: a process or folder is touched only if the owner in its mark is
// gone.
import CFarmShims
import Foundation

/// Ends and removes the processes and folders that dead processes of the farm have left on this
/// machine.
package enum Leftovers {
    /// Starts this process's guard, which otherwise starts with its first child.
    ///
    /// The guard is a fork: started late, it keeps all memory that this process changes from then
    /// on. Meant for processes that live long; safe to call twice.
    package static func prevent() { _ = farm_mark() }

    /// Removes the farm's folders in the system's temporary folder that no owner holds.
    package static func removeFolders() {
        removeFolders(in: NSTemporaryDirectory(), OwnedFolder.prefix)
    }

    /// Removes the folders in `folder` that begin with `prefix` and whose owner is gone; folders
    /// without a mark stay.
    package static func removeFolders(in folder: String, _ prefix: String) {
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        where name.hasPrefix(prefix) {
            let path = folder + "/" + name
            let lock = farm_inherit_folder(path)
            guard lock >= 0 else { continue }
            // The lock is held until the folder is gone, so that only one process removes it.
            OwnedFolder.remove(path)
            farm_leave_folder(lock)
        }
    }

    /// Ends the processes of this user that have a dead owner.
    ///
    /// To be called once, at a start: it looks at every process of the machine.
    package static func endProcesses() {
        #if os(Linux)
        let namespace = farm_process_namespace()
        for pid in ProcessTree.allProcesses() where isOwn(pid) {
            let cookie = withUnsafeTemporaryAllocation(
                of: CChar.self,
                capacity: Int(FARM_COOKIE_MAX)
            ) { room in
                room.baseAddress.flatMap { start in
                    farm_process_cookie(pid, start) >= 0 ? String(cString: start) : nil
                }
            }
            guard let cookie else { continue }
            let owners = CookieOwner.all(in: cookie)
            // Ids of another namespace mean nothing here: its processes may all be alive.
            if owners.contains(where: { $0.namespace != namespace }) { continue }
            if owners.contains(where: \.isGone) { _ = kill(pid, SIGKILL) }
        }
        #endif
    }

    #if os(Linux)
    private static func isOwn(_ pid: Int32) -> Bool {
        var status = stat()
        return pid != getpid() && stat("/proc/\(pid)", &status) == 0 && status.st_uid == geteuid()
    }
    #endif
}

/// A process that a cookie names as an owner: its children end with it.
struct CookieOwner: Hashable {
    let namespace: UInt64
    let pid: Int32
    let start: UInt64

    /// Returns the owners that a cookie names, without the numbers of children and anything else
    /// that is no mark.
    static func all(in cookie: String) -> [CookieOwner] {
        cookie.split(separator: ".").compactMap { word in
            let numbers = word.split(separator: "-", omittingEmptySubsequences: false)
            guard numbers.count == 3, let namespace = UInt64(numbers[0]),
                let pid = Int32(numbers[1]), let start = UInt64(numbers[2])
            else { return nil }
            return CookieOwner(namespace: namespace, pid: pid, start: start)
        }
    }

    /// Whether the owner has ended for certain; another process may have its id by now.
    var isGone: Bool {
        if kill(pid, 0) != 0, errno == ESRCH { return true }
        // A process that may not be read counts as alive, unless it only waits to be reaped.
        guard access("/proc/\(pid)/stat", R_OK) == 0 else { return false }
        return farm_process_start(pid) != start
    }
}
