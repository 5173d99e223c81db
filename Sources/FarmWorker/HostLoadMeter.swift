// Looks at how long work waited for a CPU, at the beginning and the end of a test or a lease and
// four times a second between them. A look is one small file; quick tests share one, so that thousands
// of them cost no more than a few.
import FarmCore
import Foundation
import Synchronization

/// Measures the load of this host over spans of time.
package final class HostLoadMeter: Sendable {
    /// The beginning of a span.
    package struct Mark: Sendable {
        /// Nil where the kernel does not say.
        fileprivate let pressure: CPUPressure?
        /// Microseconds since any moment.
        fileprivate let at: Int64
    }

    /// The processor time of this worker's tests at a moment.
    private struct OwnLook {
        let at: Int64
        let seconds: Double
    }

    /// Microseconds within which a look is not repeated.
    private static let ageMax: Int64 = 20_000
    /// Looks that are kept at most, and half of it at least.
    ///
    /// Eight minutes of those that `watch` makes; of a longer test only the end is judged.
    private static let looksMax = 4_096
    private let path: String
    /// Microseconds since any moment.
    private let now: @Sendable () -> Int64
    /// By their moments.
    private let looks = Mutex<[CPUPressure]>([])
    private let own = Mutex((time: ProcessorTime(), looks: [OwnLook]()))
    /// Looks of `watch` between two at the processes: these cost a thousand times as much.
    private static let looksPerOwnLook = 8

    /// `path` is a file like Linux' `/proc/pressure/cpu`; `now` gives microseconds since any
    /// moment (default: since it was made).
    package init(path: String, now: (@Sendable () -> Int64)? = nil) {
        self.path = path
        self.now = now ?? Self.clock()
    }

    /// Looks twice in each span that a load is looked for in, until cancelled.
    func watch() async throws {
        for number in 0... {
            lookAgain()
            if number % Self.looksPerOwnLook == 0 { lookAtProcesses(ProcessorTime.entries()) }
            try await Task.sleep(for: .microseconds(HostLoad.span / 2))
        }
    }

    /// One look of ``watch()``.
    package func lookAgain() { _ = look(after: -1) }

    /// Begins a span now, or up to 20 ms ago.
    package func mark() -> Mark { Mark(pressure: look(after: -1), at: now()) }

    /// Notes what the processes of this worker have used by now.
    func lookAtProcesses(_ entries: [ProcessorTime.Entry]) {
        let at = now()
        own.withLock { own in
            let seconds = Double(own.time.note(entries)) / ProcessorTime.ticksPerSecond
            if own.looks.count == Self.looksMax { own.looks.removeFirst(Self.looksMax / 2) }
            own.looks.append(OwnLook(at: at, seconds: seconds))
        }
    }

    /// Half a processor: a test that had as much is no more than twice as slow as alone.
    static let ownProcessorsMin = 0.5

    /// The processors that this worker's own tests used on average since a mark; nil where there were
    /// not two looks.
    func ownProcessors(since mark: Mark) -> Double? {
        own.withLock { own in
            guard let first = own.looks.first(where: { $0.at >= mark.at }),
                let last = own.looks.last,
                last.at > first.at
            else { return nil }
            return (last.seconds - first.seconds) / (Double(last.at - first.at) / 1_000_000)
        }
    }

    /// The load of the busiest half second since a mark; nil where nobody can know.
    ///
    /// Of the last half second where the mark is younger.
    package func load(since mark: Mark) -> HostLoad? {
        guard let earlier = mark.pressure else { return Self.average() }
        guard let later = look(after: earlier.at) else { return nil }
        let start = min(earlier.at, later.at - HostLoad.span)
        return HostLoad(
            busiestOf: looks.withLock { looks in
                let before = looks.lastIndex { $0.at <= start } ?? looks.startIndex
                return Array(looks[before...])
            }
        )
    }

    /// A look that is new enough, and newer than a moment.
    private func look(after moment: Int64) -> CPUPressure? {
        let now = now()
        let known = looks.withLock { $0.last }
        if let known, now - known.at < Self.ageMax, known.at > moment { return known }
        guard let text = Self.text(of: path), let pressure = CPUPressure(parsing: text, at: now)
        else { return nil }
        looks.withLock { looks in
            // Another thread may have looked later and come first.
            guard looks.last.map({ $0.at < now }) ?? true else { return }
            if looks.count == Self.looksMax { looks.removeFirst(Self.looksMax / 2) }
            looks.append(pressure)
        }
        return pressure
    }

    private static func clock() -> @Sendable () -> Int64 {
        let origin = ContinuousClock.now
        return {
            let (seconds, attoseconds) = (ContinuousClock.now - origin).components
            return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        }
    }

    /// Two lines; nil where the file is missing, or the kernel was told to count nothing.
    static func text(of path: String) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        return withUnsafeTemporaryAllocation(byteCount: 512, alignment: 1) { buffer in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count], as: UTF8.self)
        }
    }

    private static func average() -> HostLoad? {
        var minute = 0.0
        guard getloadavg(&minute, 1) == 1 else { return nil }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return HostLoad(loadAverage: minute, cores: cores)
    }
}

extension HostLoadMeter {
    /// Where the host's load is read: a container with processors of its own has a
    /// `cpu.pressure` of its own.
    package static func path(_ environment: [String: String]) -> String {
        environment["SNAPFARM_CPU_PRESSURE"] ?? "/proc/pressure/cpu"
    }
}

/// What tells apart the machines whose CPUs workers share.
package enum HostName {
    /// The same in all containers of one machine, where the kernel says it; else the host's name.
    package static var current: String {
        let boot = "/proc/sys/kernel/random/boot_id"
        let id = (try? String(contentsOfFile: boot, encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let id, !id.isEmpty else { return ProcessInfo.processInfo.hostName }
        return id
    }
}
