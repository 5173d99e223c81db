// Which test cases a process names in its output: until it has left its results, nothing else says how
// far it is. A name proves nothing (programs list their tests before they run them, and quote each
// other's), so no time limit, blame or verdict may follow from it.
import FarmCore

/// Finds the test cases of a lease among the words that a process prints.
///
/// A word is what stands between white space or control characters, without the ASCII punctuation
/// around it. Takes time in proportion to the bytes, and keeps one word at most.
package struct MentionedTests: Sendable {
    /// Punctuation around a word that still lets it be read.
    private static let punctuationBytesMax = 64
    /// Ids that differ in nothing but such punctuation; more are not looked for.
    private static let alikeMax = 8

    /// Test cases by their ids without the punctuation that these begin and end with, the longest
    /// first: `f()` says `f()`, not `f`.
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

    /// The test cases that these bytes, which follow those before, name for the first time.
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

    /// Whether the word is a test's whole id but for punctuation around it; the word's own core, which
    /// is the id's, too, begins at `start`.
    private func stands(_ test: TestID, around start: Int) -> Bool {
        let id = Array(test.text.utf8)
        let first = start - Self.core(of: id).startIndex
        return first >= 0 && word[first...].starts(with: id)
    }

    /// A word without the punctuation around it.
    private static func core(of word: [UInt8]) -> ArraySlice<UInt8> {
        guard let first = word.firstIndex(where: isPartOfName),
            let last = word.lastIndex(where: isPartOfName)
        else { return [] }
        return word[first...last]
    }

    /// Letters, digits, and all that is not ASCII.
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
