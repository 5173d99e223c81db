// A red run of a team whose machine is gone, and a stand-in for the GitHub of its pull request.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

/// A team with references on its main branch, and a red run with two changes whose machine is gone.
struct RedRun {
    let team: SharedProject
    /// The output folder of the run.
    let output: String
    let summary: RunSummary
    /// Another clone at the commit that was run, with the set of its pin.
    let clone: SharedProject.Clone

    /// Makes the team and the run; `environment` is the run's.
    init(_ environment: [String: String] = [:]) throws {
        team = try SharedProject()
        let first = try team.clone("first")
        #expect(try first.snapfarm(["refs", "init", "--pipeline", "app.yaml"]).status == 0)
        #expect(try first.snapfarm(["run", "app.yaml", "--mode", "record"]).status == 0)
        #expect(try first.snapfarm(["refs", "push"]).status == 0)
        try first.draw("one", shade: 200)
        try first.draw("two", shade: 3)
        try first.push("a new look")
        let commit = try SharedProject.git(["rev-parse", "HEAD"], in: first.path).output.dropLast()
        let program = Program(
            folder: first.path,
            environment: environment.merging(["GITHUB_SHA": String(commit)]) { _, new in new }
        )
        let red = try program.run(["run", "app.yaml", "--output", team.folder.file("out")])
        #expect(red.status == 1, "\(red.said)")
        output = team.folder.file("out")
        let bytes = try Data(contentsOf: URL(fileURLWithPath: output + "/summary.json"))
        summary = try JSONDecoder().decode(RunSummary.self, from: bytes)
        try first.delete()
        clone = try team.clone("b")
    }

    var pin: String { text(clone, "snapfarm.refs") }

    func text(_ clone: SharedProject.Clone, _ name: String) -> String {
        (try? String(contentsOfFile: "\(clone.path)/\(name)", encoding: .utf8)) ?? ""
    }

    /// Returns the id of the change that contains a picture.
    func change(_ picture: String) throws -> String {
        let changes = try #require(summary.changes)
        return try #require(changes.first { $0.snapshots.contains(picture) }?.id)
    }

    /// Installs a hook in one of the team's bare repositories, or removes it if `script` is `nil`.
    func hook(_ repository: String, _ name: String, _ script: String?) throws {
        let path = team.folder.file("\(repository)/hooks/\(name)")
        guard let script else { return try FileManager.default.removeItem(atPath: path) }
        try ("#!/bin/sh\n" + script).write(toFile: path, atomically: true, encoding: .utf8)
        chmod(path, 0o755)
    }

    @discardableResult
    func main(_ words: String...) throws -> String {
        try SharedProject.git(["-C", "main.git"] + words, in: team.folder.path).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    func setsAtHost() throws -> Set<String> {
        Set(
            try team.references("refs/snapfarm/sets").compactMap {
                $0.split(separator: "/").last.map(String.init)
            }
        )
    }

    /// Returns whether the pin's set is at the host.
    func isAvailable(_ pin: String) throws -> Bool {
        let pin = try ReferencePin(parsing: Data(pin.utf8), file: "pin")
        return try setsAtHost().contains(pin.setID.hex)
    }
}

/// The stand-in for GitHub, with the commits of one of the test's repositories.
final class GitHubServer {
    private let folder: TemporaryFolder
    let port: Int
    private var process: TestProcess?

    init() throws {
        folder = try TemporaryFolder("github")
        port = try TestPort.reserved()
    }

    func start(showing repository: String) throws {
        let state: [String: Any] = [
            "token": "good", "pulls": [7], "shas": [String](), "comments": [String](),
            "statuses": [String](), "repository": repository,
        ]
        let file = folder.file("state.json")
        try JSONSerialization.data(withJSONObject: state).write(to: URL(fileURLWithPath: file))
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent()
            .appendingPathComponent("FarmRunTests/CI/StandIn/github.py").path
        process = try TestProcess(["python3", program, "\(port)", file])
        try TestPort.awaitListener(on: port)
    }

    func statuses() throws -> [[String: String]] { try list("statuses") }

    func comments() throws -> [[String: String]] { try list("comments") }

    private func list(_ name: String) throws -> [[String: String]] {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: folder.file("state.json")))
        let state = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        return (state?[name] as? [[String: Any]] ?? []).map {
            $0.compactMapValues { $0 as? String }
        }
    }
}
