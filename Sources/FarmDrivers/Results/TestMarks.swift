// The lines of a results file that show, while it is written, which test runs: `<?snapfarm started
// ID?>` and `<?snapfarm ended ID?>`, each on a line of its own. In XML they are processing
// instructions, which readers of results skip. The ID is escaped like any text of XML, so that no
// test's output can look like a mark.
import FarmCore

/// Finds the marks of started and ended tests in the bytes of one file.
struct TestMarks: Sendable {
    enum Mark: Hashable, Sendable {
        case started(TestID)
        case ended(TestID)
    }

    /// The tests, by their ids as they are escaped in marks.
    private let tests: [String: TestID]
    private var lines = LineSplitter()

    init(_ tests: [TestID]) {
        self.tests = Dictionary(tests.map { (Self.escaped($0.text), $0) }) { first, _ in first }
    }

    /// Returns the marks that are complete with these bytes, which continue the earlier ones;
    /// leaves out marks of other tests.
    mutating func feed(_ bytes: [UInt8]) -> [Mark] {
        lines.feed(bytes).compactMap { line in
            for (word, mark) in [("started", Mark.started), ("ended", Mark.ended)] {
                let start = "<?snapfarm \(word) "
                guard line.hasPrefix(start), line.hasSuffix("?>") else { continue }
                return tests[String(line.dropFirst(start.count).dropLast(2))].map(mark)
            }
            return nil
        }
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
