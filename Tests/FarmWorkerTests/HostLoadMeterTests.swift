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
        // Who looks from now on sees that the kernel does not say.
        try FileManager.default.removeItem(atPath: folder.file("cpu"))
        clock.withLock { $0 = 19_999 }
        #expect(meter.load(since: meter.mark()) == nil)
        clock.withLock { $0 = 20_000 }
        #expect(meter.load(since: meter.mark())?.source == .loadAverage)
    }
}
