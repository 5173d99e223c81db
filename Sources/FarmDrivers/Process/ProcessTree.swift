// Ends everything that a child has started, cheaply enough for one process per test.
//
// Three nets, from cheap to expensive:
//   1. The child leads a session and a process group: one kill(2) ends the processes that stayed in
//      the group.
//   2. On Linux this process is a child subreaper: an orphan of any depth becomes our own child.
//      The kernel lists our children; an orphan is recognised by its session or by the cookie in
//      its environment. The cost depends on how many children we have, not on the machine's
//      processes.
//   3. Without 2 (old kernels, gVisor), the environment of every process of the machine is read.
//
// A cookie is the parent's cookie, a mark of this process and a number. So a worker's children are
// also children of the run that started the worker, and end with the run even if the worker was
// killed. When this process is killed itself, its guard ends the processes with its mark
// (farm_guard.c); when the guard is killed too, the next start does (Leftovers.swift).
//
// Untested on macOS: there only net 1 and the sessions of all processes are used.
import CFarmShims
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The process trees of all children of this process.
final class ProcessTree: Sendable {
    static let shared = ProcessTree()
    static let cookieKey = FARM_COOKIE

    /// The cookie and the process of one child, from before its start until its tree is gone.
    final class Ticket: Sendable {
        let cookie: String
        fileprivate let leader = Mutex<Int32?>(nil)

        fileprivate init(cookie: String) { self.cookie = cookie }
    }

    private struct State {
        var count = 0
        var starting = 0
        /// The ids of children that swift-subprocess waits for; no other code may reap them.
        var live: Set<Int32> = []
    }

    private let prefix: String
    private let isSubreaper: Bool
    private let state = Mutex(State())

    private init() {
        prefix = String(cString: farm_mark())
        isSubreaper = farm_become_subreaper() == 0 && Self.ownChildren() != nil
    }

    /// Returns the ticket of a child that is about to be started.
    func expect() -> Ticket {
        state.withLock {
            $0.count += 1
            $0.starting += 1
            return Ticket(cookie: "\(prefix)\($0.count).")
        }
    }

    /// Notes that a child runs, and calls `started` with its process id.
    func note(_ pid: Int32, _ ticket: Ticket, _ started: (Int32) -> Void) {
        ticket.leader.withLock { $0 = pid }
        farm_guard_watch(pid)
        state.withLock {
            $0.starting -= 1
            $0.live.insert(pid)
        }
        started(pid)
    }

    /// Ends the processes that are left of a child's tree.
    ///
    /// The child itself must have been waited for, or have failed to start.
    func sweep(_ ticket: Ticket) {
        let leader = ticket.leader.withLock { $0 }
        state.withLock { state in
            if let leader { state.live.remove(leader) } else { state.starting -= 1 }
        }
        guard let leader else { return }
        defer { farm_guard_release(leader) }
        _ = kill(-leader, SIGKILL)
        #if os(Linux)
        if isSubreaper, sweepOrphans(leader, ticket.cookie) { return }
        #endif
        sweepMachine(leader, ticket.cookie)
    }
}

extension ProcessTree {
    /// The most passes over our children: ending one orphan makes its own children orphans.
    ///
    /// Each pass beyond the first is rare and waits a millisecond.
    private static let passesMax = 200
    private static let unknownPassesMax = 20

    /// Ends the orphans of a tree; returns false if one of them did not go away.
    private func sweepOrphans(_ leader: Int32, _ cookie: String) -> Bool {
        var ended: Set<Int32> = []
        for pass in 0..<Self.passesMax {
            // A killed process is still in the kernel; its children become ours only after that,
            // and no call waits for orphans that are not ours yet.
            if pass > 0 { usleep(1_000) }
            var isClean = true
            for pid in orphans() {
                if isReapable(pid) || ended.contains(pid) {
                    // No other code reaps an orphan, whichever tree it belongs to.
                    var status: Int32 = 0
                    if waitpid(pid, &status, WNOHANG) == pid { continue }
                }
                switch ended.contains(pid) ? .ours : belonging(pid, leader, cookie) {
                case .ours:
                    isClean = false
                    ended.insert(pid)
                    _ = kill(pid, SIGKILL)
                case .unknown: isClean = isClean && pass >= Self.unknownPassesMax
                case .foreign: break
                }
            }
            if isClean { return true }
        }
        return false
    }

    /// Returns our children outside this process's session (those inside are other libraries') that
    /// no code is known to wait for.
    ///
    /// The kernel's list may miss a child when another one ends while it is read (proc(5)), so it
    /// is read until it stays the same.
    private func orphans() -> [Int32] {
        var all: Set<Int32> = []
        var last: Set<Int32>?
        for _ in 0..<8 {
            let now = Set(Self.ownChildren() ?? [])
            all.formUnion(now)
            if now == last { break }
            last = now
        }
        all.remove(farm_guard_pid())
        let own = getsid(0)
        let live = state.withLock { $0.live }
        return all.filter { !live.contains($0) && getsid($0) != own }
    }

    /// Whether a child may be reaped; one that is just being started, as leader of a session, may
    /// not.
    private func isReapable(_ pid: Int32) -> Bool {
        state.withLock { !$0.live.contains(pid) && ($0.starting == 0 || getsid(pid) != pid) }
    }

    private enum Belonging {
        case ours
        case foreign
        /// The process is in the middle of execve(2), so there is no environment to read.
        case unknown
    }

    private func belonging(_ pid: Int32, _ leader: Int32, _ cookie: String) -> Belonging {
        if getsid(pid) == leader { return .ours }
        let start = Self.environmentStart(of: pid)
        let environment = Self.environment(of: pid) ?? []
        // In the middle of execve(2) the block looks empty, whatever it will contain.
        let isKnown =
            !environment.isEmpty || start != nil && start == Self.environmentStart(of: pid)
        if environment.contains(cookie: cookie) { return .ours }
        if environment.contains(cookie: prefix) { return .foreign }
        // No cookie: a test removed it, so that the process outlives its lease. It is ours unless
        // it is in the session of another child, or a child is being started now. Process 1 also
        // adopts orphans of other programs.
        let (isAlone, isOfOther) = state.withLock { state in
            let isAlone = state.live.isEmpty && state.starting == 0
            return (isAlone, state.starting > 0 || state.live.contains(getsid(pid)))
        }
        if getpid() != 1, isAlone || !isOfOther && isKnown { return .ours }
        return isKnown ? .foreign : .unknown
    }

    /// Ends every process of the machine that has the cookie or is in the child's session.
    private func sweepMachine(_ leader: Int32, _ cookie: String) {
        for _ in 0..<4 {
            let members = Self.allProcesses().filter { pid in
                pid != getpid()
                    && (getsid(pid) == leader
                        || Self.environment(of: pid)?.contains(cookie: cookie) == true)
            }
            if members.isEmpty { return }
            for pid in members { _ = kill(pid, SIGKILL) }
            // Waits until they are gone, or their children show; they need not be our children to
            // wait for.
            usleep(1_000)
        }
    }
}

extension [UInt8] {
    /// Whether an environment block (`KEY=value` and NUL, repeated) has a cookie that begins with
    /// `cookie`.
    fileprivate func contains(cookie: String) -> Bool {
        let wanted = Array("\(ProcessTree.cookieKey)=\(cookie)".utf8)
        return split(separator: 0).contains { $0.starts(with: wanted) }
    }
}
