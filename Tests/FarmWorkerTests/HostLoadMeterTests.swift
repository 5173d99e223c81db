import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmWorker

@Suite("A look at the load of a host")
struct HostLoadMeterTests {
    private func write(_ total: Int, to folder: TemporaryFolder) throws {
        try folder.write("cpu", "some avg10=0.00 avg60=0.00 avg300=0.00 total=\(total)\n")
    }

    @Test("a test has the load of its busiest half second")
    func span() async throws {
        let folder = try TemporaryFolder("load")
        try write(5_000_000, to: folder)
        let meter = HostLoadMeter(path: folder.file("cpu"))
        async let _: Void = meter.watch()
        let idle = meter.mark()
        try await Task.sleep(for: .milliseconds(40))
        #expect(meter.load(since: idle) == HostLoad(waiting: 0, source: .pressure))
        try write(9_000_000, to: folder)
        // Two looks of a machine that is itself late, and then quiet again.
        try await Task.sleep(for: .milliseconds(1200))
        #expect(meter.load(since: idle) == HostLoad(waiting: 1, source: .pressure))
        let later = meter.mark()
        try await Task.sleep(for: .milliseconds(700))
        #expect(meter.load(since: later) == HostLoad(waiting: 0, source: .pressure))
    }

    @Test("where the kernel does not say, the load average does")
    func average() {
        let meter = HostLoadMeter(path: "/nowhere/cpu")
        #expect(meter.load(since: meter.mark())?.source == .loadAverage)
    }

    @Test("ten thousand quick tests cost next to nothing")
    func cost() {
        let meter = HostLoadMeter(path: HostLoadMeter.path([:]))
        let time = ContinuousClock().measure {
            for _ in 0..<10_000 { _ = meter.mark() }
        }
        print("10,000 marks: \(time)")
        #expect(time < .seconds(1))
    }
}
