// Tests of the commands in README.md and docs/. Tests/Guides/run.py extracts and runs them; here
// the program's own parser reads all of them, including those that cannot run on this machine.
import ArgumentParser
import FarmTesting
import Foundation
import Testing

@testable import snapfarm

extension Documented {
    @Suite("The commands of README and docs", .serialized)
    struct DocumentedCommandsTests {
        private static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .path
        private static let runner = root + "/Tests/Guides/run.py"

        private struct Call: Decodable {
            let page: String
            let line: Int
            let words: [String]
            /// Whether the call is a line of a block or job, not a mention in a sentence.
            let whole: Bool
        }

        @Test("every call of snapfarm is one that the program's own parser takes")
        func parsed() throws {
            let ending = try TestProcess.run(["python3", Self.runner, "calls"])
            try #require(ending.status == 0, "\(ending.said)")
            let calls = try JSONDecoder().decode([Call].self, from: Data(ending.output.utf8))
            #expect(calls.filter(\.whole).count > 60)
            for call in calls {
                guard let fault = Self.fault(of: call.words, isWhole: call.whole) else { continue }
                let words = call.words.joined(separator: " ")
                Issue.record("\(call.page):\(call.line): snapfarm \(words): \(fault)")
            }
        }

        /// Returns why the program does not parse these words, or `nil` if it does.
        ///
        /// A sentence may mention a command without its arguments.
        private static func fault(of words: [String], isWhole: Bool) -> String? {
            do {
                _ = try Snapfarm.parseAsRoot(words)
                return nil
            } catch {
                if Snapfarm.exitCode(for: error).isSuccess { return nil }
                let message = Snapfarm.message(for: error)
                let isShort =
                    !isWhole && !message.contains("nknown option")
                    && !message.contains("nexpected argument")
                return isShort ? nil : message
            }
        }

        @Test("every command of README and docs does what its page says")
        func executed() throws {
            let words = ["python3", Self.runner, "run", Program.path]
            // Takes half a minute on an idle machine.
            let ending = try TestProcess.run(words, seconds: 600)
            // Prints the commands that could not run here, with the reasons.
            print(ending.output)
            #expect(ending.status == 0, "\(ending.said)")
        }
    }
}
