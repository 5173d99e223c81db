// A built test program of a Swift package: one executable with the tests of both frameworks. It is
// started directly, because `swift test` holds the package's build lock while the tests run and
// leaves the tests running when it is killed.
//
// Untested on macOS, where the program is a bundle that `xctest` loads.
import FarmCore
import Foundation

/// The framework that runs a test.
enum SwiftTestFramework: Sendable {
    case xctest
    case swiftTesting
}

struct TestProgram: Sendable {
    /// The absolute path of the program.
    let path: String
    /// The package's folder, in which the tests run.
    let folder: String

    /// Returns a child process that runs some tests of one framework.
    ///
    /// Swift Testing writes its event stream to `events`; `attachments` is an existing folder.
    func child(
        _ framework: SwiftTestFramework,
        _ tests: [TestID],
        isSerial: Bool,
        environment: [String: String],
        events: String,
        attachments: String
    ) -> ChildProcess {
        let arguments =
            switch framework {
            case .xctest: SwiftTestSelection.xctestArguments(tests)
            case .swiftTesting:
                ["--testing-library", "swift-testing"] + Self.streaming(to: events)
                    + ["--attachments-path", attachments] + (isSerial ? ["--no-parallel"] : [])
                    + SwiftTestSelection.swiftTestingArguments(tests)
            }
        var child = ChildProcess(
            executable: path,
            arguments: arguments,
            environment: environment,
            folder: folder
        )
        child.joinsOutputs = true
        return child
    }

    /// Returns every test case of both frameworks, XCTest's first, without duplicates.
    ///
    /// `scratch` is an existing folder. Swift Testing's list is read from its event stream: the
    /// printed list has other forms of a name if two modules, or two overloads, share it.
    ///
    /// - Throws: ``DriverError``, also for a line that cannot be parsed: no test is left out.
    func list(environment: [String: String], scratch: String) async throws -> [TestID] {
        let log = scratch + "/list.log"
        let xctest = try await output(of: ["--dump-tests-json"], environment, log)
        let events = scratch + "/tests-" + UUID().uuidString.prefix(8) + ".jsonl"
        defer { try? FileManager.default.removeItem(atPath: events) }
        let arguments =
            ["--testing-library", "swift-testing", "--list-tests"] + Self.streaming(to: events)
        let printed = try await output(of: arguments, environment, log)
        var seen: Set<TestID> = []
        let tests = try xctestNames(xctest) + swiftTestingNames(inFileAt: events, printed)
        return tests.filter { seen.insert($0).inserted }
    }

    private static func streaming(to events: String) -> [String] {
        ["--event-stream-output-path", events, "--event-stream-version", "6.3"]
    }

    /// Runs the program with some arguments, and returns its standard output.
    ///
    /// Swift Testing exits with 69 if the program has none of its tests.
    private func output(
        of arguments: [String],
        _ environment: [String: String],
        _ log: String
    ) async throws -> [UInt8] {
        let printed = ByteBox()
        let errors = OutputTail()
        var child = ChildProcess(
            executable: path,
            arguments: arguments,
            environment: environment,
            folder: folder
        )
        child.outputBytesMax = FarmLimits.discoveryBytesMax
        child.timeLimitSeconds = FarmLimits.discoverySecondsMax
        child.log = log
        let ending = try await child.run { stream, bytes in
            if stream == .standardOutput { printed.append(bytes) } else { errors.append(bytes) }
        }
        guard ending == .exited(0) || ending == .exited(69) else {
            throw DriverError.discoveryFailed(
                command: ([path] + arguments).joined(separator: " "),
                ending: ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                output: errors.lastLines()
            )
        }
        return printed.bytes
    }

    private struct Node: Decodable {
        var name: String
        var tests: [Node]?
    }

    /// Returns the tests of XCTest's list, which is the last line that is a JSON object: global
    /// code of a test may print before it.
    private func xctestNames(_ bytes: [UInt8]) throws(DriverError) -> [TestID] {
        let lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
        let place = lines.lastIndex { $0.first == UInt8(ascii: "{") } ?? lines.count - 1
        guard let root = try? JSONDecoder().decode(Node.self, from: Data(lines[place])) else {
            throw .listUnreadable(program: path, line: place + 1, text: lines[place])
        }
        return Self.leaves(of: root, in: root.name)
    }

    /// Returns the tests of Swift Testing's list, sorted; the stream has the program's own order.
    ///
    /// `printed` is the same list for people: if it names a test, the stream must exist.
    private func swiftTestingNames(
        inFileAt events: String,
        _ printed: [UInt8]
    ) throws -> [TestID] {
        guard let file = FileHandle(forReadingAtPath: events) else {
            guard let line = printed.split(separator: 10).first else { return [] }
            throw DriverError.listUnreadable(program: path, line: 1, text: line)
        }
        defer { try? file.close() }
        let most = FarmLimits.discoveryBytesMax
        let bytes = try file.read(upToCount: most + 1) ?? Data()
        guard bytes.count <= most else {
            let ending = ChildEnding.flooded
            throw DriverError.discoveryFailed(
                command: path + " --list-tests",
                ending: ending.text(limitSeconds: FarmLimits.discoverySecondsMax),
                output: ""
            )
        }
        var tests: [TestID] = []
        for (index, line) in bytes.split(separator: 10).enumerated() {
            switch SwiftTestingEvents.listed(line) {
            case .test(let test): tests.append(test)
            case .noTest: continue
            case nil:
                throw DriverError.listUnreadable(program: path, line: index + 1, text: line)
            }
        }
        return tests.sorted()
    }

    /// Returns the tests below a node; only the innermost suite, the class, is part of a test's id.
    private static func leaves(of node: Node, in suite: String) -> [TestID] {
        guard let children = node.tests else { return [TestID("\(suite)/\(node.name)")] }
        return children.flatMap { leaves(of: $0, in: node.name) }
    }
}
