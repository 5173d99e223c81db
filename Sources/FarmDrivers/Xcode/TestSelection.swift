// The tests of one launch, as arguments of xcodebuild. Xcode 27 reads them from a file; for older
// ones, a list that is too long for a command line is cut into several launches.
//
// Spellings of a function of Swift Testing in `-only-testing`:
//   Target/Suite/function()      27.0 (measured by others on an .xctestrun), and 16.4
//   Target/Suite/function()()    16.0 to 16.3 (getsentry/XcodeBuildMCP#72, xcodebuild.nvim#237)
// Xcode ignores names that it does not find, so the older ones get both.
import FarmCore

/// The `-only-testing` arguments of some launches.
enum TestSelection {
    /// The most bytes of the arguments of one launch: a quarter of macOS's limit of 1 MiB for
    /// arguments and environment of a program together.
    static let argumentsBytesMax = 256 << 10
    /// The first Xcode that reads `-only-testing @FILE`.
    static let responseFileVersion = "27"

    /// Xcodes from the first of these versions to before the second want `function()()`.
    static let doubledFrom = "16"
    static let doubledBefore = "16.4"

    /// The arguments for one launch's tests, and the response file that they name, if any.
    struct Launch: Equatable {
        var tests: [TestID]
        var arguments: [String]
        /// The content of the response file, or `nil` if there is none.
        var file: String?
    }

    /// Returns tests in groups that each fit on one command line.
    ///
    /// Names that are given in two forms take up to twice the room, which fits: `bytesMax` is a
    /// quarter of macOS's limit.
    static func groups(
        _ tests: [TestID],
        hasResponseFiles: Bool,
        bytesMax: Int = argumentsBytesMax
    ) -> [[TestID]] {
        guard !hasResponseFiles else { return tests.isEmpty ? [] : [tests] }
        var groups: [[TestID]] = []
        var room = 0
        for test in tests {
            let size = flag.utf8.count + test.text.utf8.count + 2 * pointerBytes
            if groups.isEmpty || size > room {
                groups.append([])
                room = bytesMax
            }
            groups[groups.count - 1].append(test)
            room -= size
        }
        return groups
    }

    /// Returns the launch of one group; `file` is the path for a response file.
    ///
    /// If `isDoubled`, functions of Swift Testing are named as `function()()`, too.
    static func launch(
        _ tests: [TestID],
        responseFile file: String?,
        isDoubled: Bool = false
    ) -> Launch {
        let names = tests.flatMap { Self.names(of: $0, isDoubled: isDoubled) }
        guard let file, bytes(of: tests) > argumentsBytesMax else {
            return Launch(tests: tests, arguments: names.map { "\(flag):\($0)" })
        }
        return Launch(
            tests: tests,
            arguments: ["\(flag):@\(file)"],
            file: names.map { $0 + "\n" }.joined()
        )
    }

    private static func names(of test: TestID, isDoubled: Bool) -> [String] {
        isDoubled && test.text.hasSuffix(")") ? [test.text, test.text + "()"] : [test.text]
    }

    /// Returns the names of a launch's tests in every form, for messages; of many tests, the first
    /// ones.
    static func words(_ tests: [TestID], isDoubled: Bool = false) -> String {
        let shown = tests.prefix(testsShownMax)
        let rest = tests.count > shown.count ? " and \(tests.count - shown.count) more" : ""
        let names = shown.flatMap { Self.names(of: $0, isDoubled: isDoubled) }
        return names.map { "\(flag):\($0)" }.joined(separator: " ") + rest
            + "; in the .xctestrun OnlyTestIdentifiers: "
            + shown.map { XcodeTestName($0).inTarget }.joined(separator: ", ") + rest
            + ", and the same as suites and testFunctions of OnlyTestingIdentifiers"
    }

    /// The most tests that a message names.
    private static let testsShownMax = 3

    private static let flag = "-only-testing"
    /// The bytes of the pointer to an argument, which the system counts, too.
    private static let pointerBytes = 8

    private static func bytes(of tests: [TestID]) -> Int {
        tests.reduce(0) { $0 + flag.utf8.count + $1.text.utf8.count + 2 * pointerBytes }
    }
}
