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

    @Test("a span has the load of its own time")
    func span() async throws {
        let folder = try TemporaryFolder("load")
        try write(5_000_000, to: folder)
        let meter = HostLoadMeter(path: folder.file("cpu"))
        let idle = meter.mark()
        try await Task.sleep(for: .milliseconds(40))
        #expect(meter.load(since: idle) == HostLoad(waiting: 0, source: .pressure))
        try await Task.sleep(for: .milliseconds(40))
        let busy = meter.mark()
        try await Task.sleep(for: .milliseconds(40))
        try write(9_000_000, to: folder)
        #expect(meter.load(since: busy) == HostLoad(waiting: 1, source: .pressure))
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
