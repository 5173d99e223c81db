import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmWorker

@Suite("A look at the load of a host")
struct HostLoadMeterTests {
    private func write(_ total: Int, to folder: TemporaryFolder) throws {
        try folder.write("cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(total)\n")
    }

    @Test("a test has the load of its busiest half second")
    func span() throws {
        let folder = try TemporaryFolder("load")
        try write(5_000_000, to: folder)
        let clock = Mutex<Int64>(0)
        let meter = HostLoadMeter(path: folder.file("cpu")) { clock.withLock { $0 } }
        func pass(milliseconds: Int) {
            for _ in 0..<(milliseconds / 250) {
                clock.withLock { $0 += 250_000 }
                meter.lookAgain()
            }
        }
        let idle = meter.mark()
        clock.withLock { $0 += 40_000 }
        #expect(meter.load(since: idle) == HostLoad(waiting: 0, source: .pressure))
        // Half of a half second, between two quiet ones.
        pass(milliseconds: 1_000)
        try write(5_250_000, to: folder)
        pass(milliseconds: 1_500)
        #expect(meter.load(since: idle) == HostLoad(waiting: 0.5, source: .pressure))
        let later = meter.mark()
        pass(milliseconds: 750)
        #expect(meter.load(since: later) == HostLoad(waiting: 0, source: .pressure))
    }

    @Test("the processors that its own tests use are those of everything below the worker")
    func own() {
        func entry(_ pid: Int32, below parent: Int32, _ ticks: Double) -> ProcessorTime.Entry {
            let ticks = Int(ticks * ProcessorTime.ticksPerSecond)
            return ProcessorTime.Entry(pid: pid, parent: parent, ticks: ticks, started: 0)
        }
        let clock = Mutex<Int64>(0)
        let meter = HostLoadMeter(path: "/nowhere/cpu") { clock.withLock { $0 } }
        let mark = meter.mark()
        let (me, other) = (getpid(), getpid() + 1)
        meter.lookAtProcesses([entry(2_000_001, below: me, 7), entry(2_000_003, below: other, 7)])
        #expect(meter.ownProcessors(since: mark) == nil)
        clock.withLock { $0 = 4_000_000 }
        // A child that continues, a new grandchild, and a foreign process.
        meter.lookAtProcesses([
            entry(2_000_001, below: me, 8), entry(2_000_002, below: 2_000_001, 1),
            entry(2_000_003, below: other, 70),
        ])
        #expect(meter.ownProcessors(since: mark) == 0.5)
        clock.withLock { $0 = 8_000_000 }
        // Time of ended processes still counts. A list read while processes change may contain a
        // cycle.
        meter.lookAtProcesses([
            entry(2_000_004, below: me, 2), entry(2_000_005, below: 2_000_005, 9),
        ])
        #expect(meter.ownProcessors(since: mark) == 0.5)
        #expect(meter.ownProcessors(since: meter.mark()) == nil)
    }

    @Test("a process's line of /proc is read whatever its name is")
    func line() {
        let text = "7 (a) b (c) R 5 7 7 0 -1 4194304 1 2 3 4 250 50 9 9 20 0 1 0 1234 1 2"
        let entry = ProcessorTime.entry(7, text)
        #expect(entry == ProcessorTime.Entry(pid: 7, parent: 5, ticks: 300, started: 1234))
        #expect(ProcessorTime.entry(7, "7 (a) R 5") == nil)
        #if os(Linux)
        #expect(ProcessorTime.entries().contains { $0.pid == getpid() && $0.parent == getppid() })
        #endif
    }

    @Test("where the kernel does not say, the load average does")
    func average() {
        let meter = HostLoadMeter(path: "/nowhere/cpu")
        #expect(meter.load(since: meter.mark())?.source == .loadAverage)
    }

    @Test("tests within 20 ms share one look, so that thousands cost no more than a few")
    func shared() throws {
        let folder = try TemporaryFolder("load")
        try write(0, to: folder)
        let clock = Mutex<Int64>(0)
        let meter = HostLoadMeter(path: folder.file("cpu")) { clock.withLock { $0 } }
        _ = meter.mark()
        // From now on, a new look finds that the kernel reports nothing.
        try FileManager.default.removeItem(atPath: folder.file("cpu"))
        clock.withLock { $0 = 19_999 }
        #expect(meter.load(since: meter.mark()) == nil)
        clock.withLock { $0 = 20_000 }
        #expect(meter.load(since: meter.mark())?.source == .loadAverage)
    }
}
