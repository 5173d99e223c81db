// A built test program of a Swift package: one executable with the tests of both frameworks.
// Started directly, not through `swift test`: that holds the package's build lock while the tests
// run and leaves the tests running when it is killed.
//
// Untested on macOS, where the program is a bundle that `xctest` loads.
import FarmCore
import Foundation

/// Which framework runs a test.
enum SwiftTestFramework: Sendable {
    case xctest
    case swiftTesting
}

struct TestProgram: Sendable {
    /// Absolute path.
    let path: String
    /// The package's folder, where the tests run.
    let folder: String

    /// A process that runs some tests.
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
                [
                    "--testing-library", "swift-testing", "--event-stream-output-path", events,
                    "--event-stream-version", "6.3", "--attachments-path", attachments,
                ] + (isSerial ? ["--no-parallel"] : [])
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

    /// Every test case of both frameworks, XCTest's first, without duplicates.
    func list(environment: [String: String], log: String) async throws -> [TestID] {
        let xctest = try await output(of: ["--dump-tests-json"], environment, log)
        let swiftTesting = try await output(
            of: ["--testing-library", "swift-testing", "--list-tests"],
            environment,
            log
        )
        let lines = String(decoding: swiftTesting, as: UTF8.self).split(separator: "\n")
        let tests =
            try xctestNames(xctest)
            + lines.filter { $0.hasSuffix(")") && $0.contains(".") }.map { TestID(String($0)) }
        var seen: Set<TestID> = []
        return tests.filter { seen.insert($0).inserted }
    }

    /// 69 is how Swift Testing says that there is nothing of it in the program.
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

    /// The list is the last line that is a JSON object; global code of a test may print before it.
    private func xctestNames(_ bytes: [UInt8]) throws -> [TestID] {
        let lines = bytes.split(separator: 10).reversed()
        guard let line = lines.first(where: { $0.first == UInt8(ascii: "{") }),
            let root = try? JSONDecoder().decode(Node.self, from: Data(line))
        else { return [] }
        return Self.leaves(of: root, in: root.name)
    }

    /// Only the innermost suite, the class, is part of a test's id.
    private static func leaves(of node: Node, in suite: String) -> [TestID] {
        guard let children = node.tests else { return [TestID("\(suite)/\(node.name)")] }
        return children.flatMap { leaves(of: $0, in: node.name) }
    }
}
