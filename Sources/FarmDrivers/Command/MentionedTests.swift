// Finds the test cases that a process names in its output. Until the process has written its
// results, nothing else shows its progress. A name proves nothing (programs list their tests before
// they run them, and quote the names of others), so no time limit, blame or verdict may follow from
// it.
import FarmCore

/// Finds the test cases of a lease among the words that a process prints.
///
/// A word is the text between white space or control characters, without the ASCII punctuation
/// around it. The search takes time in proportion to the bytes, and keeps at most one word.
package struct MentionedTests: Sendable {
    /// The most bytes of punctuation around a word that is still recognised.
    private static let punctuationBytesMax = 64
    /// The most tests whose ids differ only in punctuation at their ends; further ones are not
    /// found.
    private static let alikeMax = 8

    /// The test cases by their ids without the punctuation at both ends.
    ///
    /// The longest id comes first, so that `f()` names the test `f()` and not `f`.
    private var tests: [String: [TestID]] = [:]
    private var mentioned: Set<TestID> = []
    private let wordBytesMax: Int
    private var word: [UInt8] = []
    private var isTooLong = false

    init(_ tests: [TestID]) {
        let longest = tests.map(\.text.utf8.count).max() ?? 0
        wordBytesMax = longest + Self.punctuationBytesMax
        for test in tests {
            let id = Array(test.text.utf8)
            let core = Self.core(of: id)
            if !core.isEmpty { self.tests[Self.text(core), default: []].append(test) }
        }
        for (core, alike) in self.tests where alike.count > 1 {
            let longestFirst = alike.sorted { $0.text.utf8.count > $1.text.utf8.count }
            self.tests[core] = Array(longestFirst.prefix(Self.alikeMax))
        }
    }

    /// Returns the test cases that these bytes, which continue the earlier ones, name for the first
    /// time.
    package mutating func feed(_ bytes: [UInt8]) -> [TestID] {
        var found: [TestID] = []
        for byte in bytes {
            if byte <= UInt8(ascii: " ") || byte == 0x7F {
                if !word.isEmpty, let test = endWord() { found.append(test) }
            } else if word.count < wordBytesMax {
                word.append(byte)
            } else {
                isTooLong = true
            }
        }
        return found
    }

    private mutating func endWord() -> TestID? {
        defer {
            word.removeAll(keepingCapacity: true)
            isTooLong = false
        }
        let core = Self.core(of: word)
        guard !core.isEmpty, !isTooLong, let alike = tests[Self.text(core)],
            let test = alike.first(where: { stands($0, around: core.startIndex) }),
            mentioned.insert(test).inserted
        else { return nil }
        return test
    }

    /// Whether the current word is the whole id of `test`, except for punctuation around the word.
    ///
    /// The word and the id have the same core, which begins at `start` in the word.
    private func stands(_ test: TestID, around start: Int) -> Bool {
        let id = Array(test.text.utf8)
        let first = start - Self.core(of: id).startIndex
        return first >= 0 && word[first...].starts(with: id)
    }

    /// Returns the part of a word between the punctuation at its ends.
    private static func core(of word: [UInt8]) -> ArraySlice<UInt8> {
        guard let first = word.firstIndex(where: isPartOfName),
            let last = word.lastIndex(where: isPartOfName)
        else { return [] }
        return word[first...last]
    }

    /// Whether a byte is a letter, a digit, an underscore or not ASCII.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...0xFF:
            true
        default: false
        }
    }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String {
        String(decoding: bytes, as: UTF8.self)
    }
}
