// The processor time of a worker's child processes and their descendants, by Linux' /proc. It only
// grows: an ended process keeps the time that was last read.
import FarmCore
import Foundation

/// The sum of the processor time of all processes below this one.
struct ProcessorTime: Sendable {
    /// The fields of one `/proc/PID/stat`.
    struct Entry: Hashable, Sendable {
        var pid: Int32
        var parent: Int32
        /// The process's user and system time, in clock ticks.
        var ticks: Int
        /// The start of the process, in clock ticks after the machine's start; it tells apart two
        /// processes with the same number.
        var started: Int
    }

    private struct Process: Hashable {
        var pid: Int32
        var started: Int
    }

    private var ticks: [Process: Int] = [:]
    /// The clock ticks that ended processes have used.
    private var ended = 0
    private let root: Int32

    init(below root: Int32 = getpid()) { self.root = root }

    /// Notes the processes of this moment; returns the clock ticks of all processes so far.
    mutating func note(_ entries: [Entry]) -> Int {
        let children = Dictionary(grouping: entries) { $0.parent }
        var now: [Process: Int] = [:]
        var open = [root]
        while let parent = open.popLast() {
            for child in children[parent] ?? [] where child.pid != parent {
                // A list that was read while processes came and went may have a cycle.
                let process = Process(pid: child.pid, started: child.started)
                guard now.updateValue(child.ticks, forKey: process) == nil else { continue }
                open.append(child.pid)
            }
        }
        for (process, ticks) in ticks where now[process] == nil { ended += ticks }
        ticks = now
        return ended + now.values.reduce(0, +)
    }

    /// Returns an entry for every process of the machine; empty if there is no /proc.
    static func entries() -> [Entry] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap { name in
            guard let pid = Int32(name), let text = HostLoadMeter.text(of: "/proc/\(pid)/stat")
            else {
                return nil
            }
            return entry(pid, text)
        }
    }

    /// Parses the text of `/proc/PID/stat`, or returns `nil` for other text.
    ///
    /// It is `PID (NAME) STATE PARENT …`; a name may hold anything, also brackets.
    static func entry(_ pid: Int32, _ text: String) -> Entry? {
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let parent = Int32(fields[1]), let user = Int(fields[11]),
            let system = Int(fields[12]), let started = Int(fields[19])
        else { return nil }
        return Entry(pid: pid, parent: parent, ticks: user + system, started: started)
    }

    /// The number of clock ticks in a second.
    static let ticksPerSecond = Double(max(1, sysconf(Int32(_SC_CLK_TCK))))
}
