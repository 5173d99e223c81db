import FarmCore
import Foundation
import Testing

@Suite("How busy a host was")
struct HostLoadTests {
    private func pressure(_ total: Int64, at: Int64) throws -> CPUPressure {
        let text = """
            some avg10=1.53 avg60=1.87 avg300=1.73 total=\(total)
            full avg10=0.00 avg60=0.00 avg300=0.00 total=7
            """
        return try #require(CPUPressure(parsing: text, at: at))
    }

    @Test(
        "is the share of a span in which work waited",
        arguments: [
            (0, 1_000_000, 0.0), (250_000, 1_000_000, 0.25), (1_000_000, 1_000_000, 1.0),
            (1_020_000, 1_000_000, 1.0), (1, 3, 0.333),
        ]
    )
    func share(waited: Int64, span: Int64, share: Double) throws {
        let earlier = try pressure(27_579_797_929, at: 500)
        let later = try pressure(27_579_797_929 + waited, at: 500 + span)
        #expect(HostLoad(from: earlier, to: later)?.waiting == share)
    }

    @Test("no time, or a counter that goes back, says nothing")
    func nothing() throws {
        let look = try pressure(100, at: 100)
        #expect(HostLoad(from: look, to: look) == nil)
        #expect(HostLoad(from: look, to: try pressure(99, at: 200)) == nil)
    }

    /// Returns measurements a quarter of a second apart, with these shares of waiting between them.
    private func looks(_ shares: [Double]) throws -> [CPUPressure] {
        var waited: Int64 = 0
        var looks = [try pressure(0, at: 0)]
        for (index, share) in shares.enumerated() {
            waited += Int64(share * 250_000)
            looks.append(try pressure(waited, at: Int64(index + 1) * 250_000))
        }
        return looks
    }

    @Test(
        "of a long span it is the busiest half second",
        arguments: [
            ([1, 1, 0, 0], 1.0), ([0, 1, 1, 0], 1.0), ([0, 0, 1, 1], 1.0), ([1, 0, 1, 0], 0.5),
            ([0.2, 0.4, 0.6, 0.2], 0.5), ([1, 0], 0.5), ([0.75], 0.75), ([0, 0, 0], 0.0),
        ] as [([Double], Double)]
    )
    func busiest(shares: [Double], share: Double) throws {
        #expect(HostLoad(busiestOf: try looks(shares))?.waiting == share)
    }

    @Test("without looks, or with one, there is no load")
    func noLooks() throws {
        #expect(HostLoad(busiestOf: []) == nil)
        #expect(HostLoad(busiestOf: try looks([])) == nil)
    }

    @Test(
        "another text is no counter",
        arguments: ["", "some", "full avg10=0.00 total=7", "some total=x", "some total=-1"]
    )
    func strange(text: String) { #expect(CPUPressure(parsing: text, at: 0) == nil) }

    @Test(
        "the load average stands for it elsewhere, and says so",
        arguments: [(0.0, 0.0), (2.0, 0.0), (3.0, 0.5), (4.0, 1.0), (16.0, 1.0), (.nan, 0.0)]
    )
    func average(minute: Double, share: Double) {
        let load = HostLoad(loadAverage: minute, cores: 2)
        #expect(load.waiting == share && load.source == .loadAverage)
        #expect(load.words.hasSuffix("by the load average"))
    }

    @Test("is overloaded from the limit on, and travels as it is")
    func limit() throws {
        let max = FarmLimits.hostWaitingMax
        #expect(HostLoad(waiting: max, source: .pressure).isOverloaded)
        #expect(!HostLoad(waiting: max - 0.001, source: .pressure).isOverloaded)
        // The highest value among 1,200 pictures of the demo with two browsers on two cores:
        // ordinary use.
        #expect(!HostLoad(waiting: 0.86, source: .pressure).isOverloaded)
        let load = HostLoad(waiting: 0.84, source: .pressure)
        #expect(load.words == "work waited for a CPU in 84 % of the busiest half second")
        let bytes = try JSONEncoder().encode(load)
        #expect(try JSONDecoder().decode(HostLoad.self, from: bytes) == load)
        let strange = Data(#"{"waiting":-7,"source":"pressure"}"#.utf8)
        #expect(try JSONDecoder().decode(HostLoad.self, from: strange).waiting == 0)
    }
}
