// The meter of this host's load: how long work waited for a CPU. It looks at the beginning and the
// end of a test or lease, and four times a second between them. A look reads one small file; quick
// tests share looks, so that thousands of tests cost few looks.
import FarmCore
import Foundation
import Synchronization

/// Measures the load of this host over spans of time.
package final class HostLoadMeter: Sendable {
    /// The beginning of a span of time whose load is measured.
    package struct Mark: Sendable {
        /// The CPU pressure at the beginning, or `nil` if the kernel does not report it.
        fileprivate let pressure: CPUPressure?
        /// The time of the beginning in microseconds, from a fixed origin.
        fileprivate let at: Int64
    }

    /// The seconds of processor time that this worker's tests had used at a moment.
    private struct OwnLook {
        let at: Int64
        let seconds: Double
    }

    /// The microseconds for which a reading of the pressure is used again.
    private static let ageMax: Int64 = 20_000
    /// The most readings that are kept in memory; at this limit the older half is dropped.
    ///
    /// The newer half lasts for eight minutes of `watch`; of a longer test only the end is judged.
    private static let looksMax = 4_096
    private let path: String
    /// Returns the time in microseconds, from a fixed origin.
    private let now: @Sendable () -> Int64
    /// The readings of the CPU pressure, oldest first.
    private let looks = Mutex<[CPUPressure]>([])
    private let own = Mutex((time: ProcessorTime(), looks: [OwnLook]()))
    /// The number of readings by `watch` after which it also reads the processes, which costs a
    /// thousand times as much.
    private static let looksPerOwnLook = 8

    /// Makes a meter that reads `path`, a file like Linux' `/proc/pressure/cpu`.
    ///
    /// `now` returns microseconds from a fixed origin; the default counts from this call.
    package init(path: String, now: (@Sendable () -> Int64)? = nil) {
        self.path = path
        self.now = now ?? Self.clock()
    }

    /// Reads the CPU pressure twice in each span of ``HostLoad``, until cancelled.
    func watch() async throws {
        for number in 0... {
            lookAgain()
            if number % Self.looksPerOwnLook == 0 { lookAtProcesses(ProcessorTime.entries()) }
            try await Task.sleep(for: .microseconds(HostLoad.span / 2))
        }
    }

    /// Reads the CPU pressure once, as ``watch()`` does.
    package func lookAgain() { _ = look(after: -1) }

    /// Returns the beginning of a span that starts now, with a pressure that was read up to 20 ms
    /// ago.
    package func mark() -> Mark { Mark(pressure: look(after: -1), at: now()) }

    /// Notes the processor time that this worker's tests have used so far, from a list of
    /// processes.
    func lookAtProcesses(_ entries: [ProcessorTime.Entry]) {
        let at = now()
        own.withLock { own in
            let seconds = Double(own.time.note(entries)) / ProcessorTime.ticksPerSecond
            if own.looks.count == Self.looksMax { own.looks.removeFirst(Self.looksMax / 2) }
            own.looks.append(OwnLook(at: at, seconds: seconds))
        }
    }

    /// The least mean number of processors with which a test counts as served: with half a
    /// processor it is at most twice as slow as alone.
    static let ownProcessorsMin = 0.5

    /// Returns the mean number of processors that this worker's tests have used since a mark, or
    /// `nil` without two readings since then.
    func ownProcessors(since mark: Mark) -> Double? {
        own.withLock { own in
            guard let first = own.looks.first(where: { $0.at >= mark.at }),
                let last = own.looks.last,
                last.at > first.at
            else { return nil }
            return (last.seconds - first.seconds) / (Double(last.at - first.at) / 1_000_000)
        }
    }

    /// Returns the load of the busiest half second since a mark, or `nil` if unknown.
    ///
    /// If the mark is younger, it is the load of the last half second.
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

    /// Returns a reading of the pressure that is younger than `ageMax` and later than `moment`, or
    /// `nil` if the kernel does not report it.
    private func look(after moment: Int64) -> CPUPressure? {
        let now = now()
        let known = looks.withLock { $0.last }
        if let known, now - known.at < Self.ageMax, known.at > moment { return known }
        guard let text = Self.text(of: path), let pressure = CPUPressure(parsing: text, at: now)
        else { return nil }
        looks.withLock { looks in
            // Another thread may have made a later look and added it first.
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

    /// Returns the first 512 bytes of a file as text, or `nil` if it is missing or empty, as when
    /// the kernel counts nothing.
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
    /// Returns the path of the file that reports the host's load.
    ///
    /// A container with processors of its own has a `cpu.pressure` of its own.
    package static func path(_ environment: [String: String]) -> String {
        environment["SNAPFARM_CPU_PRESSURE"] ?? "/proc/pressure/cpu"
    }
}

/// The name of a machine whose CPUs workers share.
package enum HostName {
    /// The kernel's boot id, which is the same in all containers of a machine, else the host's
    /// name.
    package static var current: String {
        let boot = "/proc/sys/kernel/random/boot_id"
        let id = (try? String(contentsOfFile: boot, encoding: .utf8))?
            .trimmingCharacters(in: .whitespacesAndNewlines)
        guard let id, !id.isEmpty else { return ProcessInfo.processInfo.hostName }
        return id
    }
}
