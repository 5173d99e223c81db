import Synchronization
import Testing

@testable import FarmRun

@Suite("A worker whose uploads wait for a bucket")
struct BucketNoticeTests {
    @Test("says so once a minute, however many of them wait")
    func once() {
        let said = Said()
        let notice = BucketNotice { said.add($0) }
        let start = ContinuousClock.now
        for seconds in [0, 1, 59, 60, 61, 200] {
            notice.give(now: start.advanced(by: .seconds(seconds)))
        }
        #expect(said.lines.count == 3)
        #expect(said.lines.first?.contains("trying again for 5 minutes") == true)
    }
}

private final class Said: Sendable {
    private let state = Mutex<[String]>([])
    var lines: [String] { state.withLock { $0 } }

    func add(_ line: String) { state.withLock { $0.append(line) } }
}
