// The program git in a local folder, for the clone's own settings and single calls.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import Foundation

/// Calls git in one folder.
package struct GitCommand {
    let folder: String
    let environment: [String: String]

    package init(folder: String, environment: [String: String]) {
        self.folder = folder
        self.environment = environment
    }

    struct Result {
        let status: Int32
        let output: String
    }

    /// Runs git to its end, and returns its status and output; its standard error goes to the
    /// terminal.
    func run(_ arguments: [String]) throws -> Result {
        let (result, errors) = try result(of: arguments)
        for line in errors.split(separator: "\n") { Console.say(String(line)) }
        return result
    }

    /// Runs git to its end, and returns its result and its standard error.
    func result(of arguments: [String]) throws -> (Result, errors: String) {
        var environment = environment
        // A hook or a merge driver may have called this program with Git's variables; only `folder`
        // counts.
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_PREFIX"] { environment[name] = nil }
        environment["GIT_TERMINAL_PROMPT"] = "0"
        for name in OwnEnvironment.secrets { environment[name] = nil }
        let ending = try ChildProgram.run(
            ["git", "-C", folder] + arguments,
            environment: environment,
            stallSeconds: Self.secondsMax,
            secondsMax: Self.secondsMax
        )
        guard case .done(let result) = ending else {
            throw RefsError.git(
                doing: "run git \(arguments.first ?? "")",
                reason: "it did not end within \(Self.secondsMax) s"
            )
        }
        return (Result(status: result.status, output: result.output), result.errors)
    }

    /// The time limit of a call, in seconds: calls read and write a few small files.
    private static let secondsMax = 120

    /// Returns a value of Git's configuration, or `nil` if it is not set or there is no repository.
    package func setting(_ name: String) throws -> String? {
        try line(["config", "--get", name])
    }

    /// Returns the line that a call of git prints, or `nil` if it prints none or fails.
    func line(_ arguments: [String]) throws -> String? {
        let result = try run(arguments)
        guard result.status == 0 else { return nil }
        let text = result.output.trimmingCharacters(in: .whitespacesAndNewlines)
        return text.isEmpty ? nil : text
    }

    /// Sets a value in this clone's configuration.
    package func set(_ name: String, to value: String) throws {
        guard try run(["config", "--local", name, value]).status == 0 else {
            throw RefsError.git(doing: "set \(name) in \(folder)", reason: "git config failed")
        }
    }
}
