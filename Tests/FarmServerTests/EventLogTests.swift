import FarmCore
import FarmServer
import Foundation
import Logging
import Synchronization
import Testing

/// Collects written lines.
private final class Lines: Sendable {
    private let state = Mutex<[String]>([])
    var all: [String] { state.withLock { $0 } }
    func add(_ line: String) { state.withLock { $0.append(line) } }
}

@Suite("Event log")
struct EventLogTests {
    private func logged(_ format: LogFormat, _ body: (Logger) -> Void) -> [String] {
        let lines = Lines()
        body(Logger(label: "test") { _ in EventLog(format: format) { lines.add($0) } })
        return lines.all
    }

    @Test("an event is one line of JSON, whatever its texts hold")
    func json() throws {
        let lines = logged(.json) {
            $0.info("two\nlines \"quoted\"", metadata: ["path": "a\u{1}b", "count": "3"])
        }
        #expect(lines.count == 1)
        #expect(lines[0].filter { $0 == "\n" }.count == 1 && lines[0].hasSuffix("\n"))
        let object = try #require(
            try JSONSerialization.jsonObject(with: Data(lines[0].utf8)) as? [String: String]
        )
        #expect(object["event"] == "two\nlines \"quoted\"")
        #expect(object["path"] == "a\u{1}b" && object["count"] == "3" && object["level"] == "info")
    }

    @Test("an event is one line of text, without control characters")
    func text() {
        let lines = logged(.text) { $0.notice("a\nb\u{1B}[31m", metadata: ["key": "c\nd"]) }
        #expect(lines.count == 1)
        #expect(lines[0].hasSuffix(" notice a b\\u001b[31m key=c d\n"))
    }

    @Test("tokens and passwords never reach a line", arguments: LogFormat.allCases)
    func masked(_ format: LogFormat) {
        let token = "snapfarm_" + String(repeating: "0123456789abcdef", count: 4)
        let lines = logged(format) {
            $0.error(
                "token \(token)",
                metadata: [
                    "url": "https://me:hunter2@example.com/x", "header": "Bearer secret-words",
                ]
            )
        }
        for secret in ["0123456789abcdef", "hunter2", "secret-words"] {
            #expect(!lines[0].contains(secret))
        }
    }
}
