// The list of `--tests-from`: tests that another tool chose, one name a line, such as a CI's own
// split or the failed tests.
import FarmCore
import Foundation

/// The errors of reading a list of tests.
package enum TestListError: ExplainedError {
    case unreadable(String)
    case tooLong(String)

    package var code: String { "test-list-unreadable" }
    package var message: String {
        switch self {
        case .unreadable(let file): "\(file): cannot be read."
        case .tooLong(let file):
            "\(file) has more than \(FarmLimits.testListBytesMax >> 20) MB."
        }
    }
    package var remedy: String {
        "Give --tests-from a file with one test or suite a line, or - for standard input."
    }
    package var exit: ExitCode { .invalidInput }
}

package enum ChosenTests {
    /// Returns the names in a file, or in standard input if `file` is `-`; skips blank lines.
    package static func read(_ file: String) throws -> Set<String> {
        let isInput = file == "-"
        let handle = isInput ? FileHandle.standardInput : FileHandle(forReadingAtPath: file)
        guard let handle else { throw TestListError.unreadable(file) }
        var bytes = Data()
        do {
            while let more = try handle.read(upToCount: 1 << 20), !more.isEmpty {
                bytes += more
                guard bytes.count <= FarmLimits.testListBytesMax else {
                    throw TestListError.tooLong(isInput ? "standard input" : file)
                }
            }
        } catch let error as TestListError {
            throw error
        } catch {
            throw TestListError.unreadable(isInput ? "standard input" : file)
        }
        return names(String(decoding: bytes, as: UTF8.self))
    }

    static func names(_ text: String) -> Set<String> {
        let lines = text.split(whereSeparator: \.isNewline).map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        return Set(lines.filter { !$0.isEmpty })
    }
}
