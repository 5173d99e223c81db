// The failures of one test case: any number, each with a message and a text that may repeat it.
// They become one text, and the first of them are also kept singly, in time proportional to their
// number.
import FarmCore
import Foundation

/// The failures of one test case.
struct JUnitFailures {
    private(set) var count = 0
    private var seen = 0
    private var bytes: [UInt8] = []
    private var said: Set<String> = []
    /// The message of the failure that is being read, or `nil` if it has none.
    private var message: String?
    private(set) var all: [TestFailure] = []
    private var room = 2 * FarmLimits.resultOutputBytesMax

    /// The text of all failures together, or `nil` if there are none.
    var text: String? { seen == 0 ? nil : String(decoding: bytes, as: UTF8.self) }

    mutating func begin(message: String?, type: String?) {
        count += 1
        add(message ?? type ?? "")
        self.message = message
    }

    mutating func end(text: String) {
        add(text)
        let words = message ?? ""
        message = nil
        guard room > 0 else { return }
        room -= words.utf8.count + text.utf8.count
        if all.count == FarmLimits.failuresPerTestMax { room = 0 }
        let failure = words.isEmpty ? TestFailure(text) : TestFailure(words, detail: text)
        // A failure without text is no message of a framework, so the test stays failed.
        all.append(room > 0 ? failure : TestFailure(""))
    }

    /// Adds a message or text to the common text, unless it was added before.
    private mutating func add(_ more: String) {
        seen += 1
        let limit = FarmLimits.resultOutputBytesMax
        // Each failure has a message and a text.
        guard seen <= 2 * FarmLimits.failuresPerTestMax, bytes.count < limit else { return }
        let text = more.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !text.isEmpty, said.insert(text).inserted else { return }
        let more = Array(text.utf8)
        if Self.begins(more, with: bytes) {
            bytes = more
        } else {
            bytes += [UInt8(ascii: "\n")] + more
        }
        bytes.cut(toBytes: limit)
    }

    private static func begins(_ whole: [UInt8], with part: [UInt8]) -> Bool {
        guard part.count <= whole.count else { return false }
        return whole.withUnsafeBytes { whole in
            part.withUnsafeBytes { part in
                guard let one = whole.baseAddress, let other = part.baseAddress else { return true }
                return memcmp(one, other, part.count) == 0
            }
        }
    }
}

extension [UInt8] {
    /// Cuts the bytes to their first whole characters of UTF-8, at most `bytesMax` bytes together.
    mutating func cut(toBytes bytesMax: Int) {
        guard count > bytesMax else { return }
        var end = bytesMax
        while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
        removeLast(count - end)
    }
}
