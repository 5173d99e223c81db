// A coordinator of two teams: one has an ended run with a changed picture and an open run, the
// other has tokens with other patterns.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmAPI

final class TwoTeams {
    let fleet: Fleet
    /// Things of the team that has the runs.
    private(set) var names = TeamNames.madeUp
    private var tokens: [String: String] = [:]
    private var held: TestProcess?

    static let scopes = ["submit", "work", "read", "review", "admin"]

    init() throws {
        fleet = try Fleet()
        try fleet.serve()
        let worker = try fleet.startWorker("far")
        let recorded = try fleet.run(["--mode", "record"])
        #expect(recorded.status == 0, "\(recorded.said)")
        try fleet.project.folder.write("pictures/one.png", Project.png(shade: 200))
        let red = try fleet.run()
        #expect(red.status == 1, "\(red.said)")
        let summary = try fleet.project.summary()
        let changed = try #require(summary.snapshots.first { $0.verdict == .changed })
        names.run = summary.run.id
        names.cell = "A"
        names.object = ObjectID(ofBlob: Project.png(shade: 10)).hex
        names.digest = Digest(of: Project.png(shade: 200)).hex
        names.artifact = "FailureDiffs.zip"
        names.worker = "far"
        names.lease = "L1"
        names.snapshot = changed.id
        names.pipeline = "app"
        kill(worker.pid, SIGTERM)
        _ = worker.ending(within: 40)
        try holdARun()
    }

    deinit { held?.kill() }

    /// Submits a run that no worker takes.
    func holdARun() throws {
        guard held == nil else { return }
        let run = try fleet.submitting().start(["run", "app.yaml", "--coordinator", fleet.url])
        #expect(run.wait(seconds: 60) { run.errors.contains("tests on") }, "\(run.said)")
        held = run
    }

    /// Returns a token with a scope and a pattern of pipelines, or without one for `nil`.
    func token(_ scope: String, _ pattern: String?) throws -> String {
        let word = pattern.map { $0.filter(\.isLetter) } ?? "all"
        let name = "\(scope)-\(word)"
        if let known = tokens[name] { return known }
        let made = try fleet.program.run(
            ["tokens", "create", name, "--data", "state", "--scope", scope]
                + (pattern.map { ["--pipeline", $0] } ?? [])
        )
        #expect(made.status == 0, "\(made.said)")
        let token = made.output.trimmingCharacters(in: .whitespacesAndNewlines)
        tokens[name] = token
        return token
    }

    // MARK: calls

    func answer(
        _ call: TenancyCall,
        _ names: TeamNames,
        _ token: String
    ) throws -> RawConnection.Response {
        let answer = try fleet.call(
            call.method,
            Routes.prefix + call.path(names),
            token: token,
            body: try call.body?(names)
        )
        return try #require(answer, "\(call.route): no answer")
    }

    /// Returns the answer to a page's request; a POST sends the form of a decision.
    func page(
        _ call: TenancyCall,
        _ names: TeamNames,
        _ visitor: inout Visitor,
        _ form: String
    ) throws -> RawConnection.Response {
        guard call.method == "POST" else { return try visitor.get(call.path(names)) }
        return try visitor.post(
            call.path(names),
            [
                ("token", form), ("kind", "accepted"), ("snapshot", names.snapshot),
                ("reason", "ours"),
            ]
        )
    }

    /// Returns an answer's text with this team's names replaced by the made-up ones, and the keys of
    /// JSON in order.
    func plain(_ answer: RawConnection.Response) -> String {
        let object = try? JSONSerialization.jsonObject(with: answer.body)
        let sorted = object.flatMap {
            try? JSONSerialization.data(withJSONObject: $0, options: [.sortedKeys])
        }
        let text = sorted.map { String(decoding: $0, as: UTF8.self) } ?? answer.text
        return zip(names.all, TeamNames.madeUp.all).reduce(text) { text, pair in
            // One letter is a part of other words.
            pair.0.count > 1 ? text.replacingOccurrences(of: pair.0, with: pair.1) : text
        }
    }

    /// Returns whether an answer shows a thing of this team that the call did not name itself.
    func shows(_ text: String, asked call: TenancyCall) -> Bool {
        let asked = call.path(names)
        return [names.run, names.digest, names.snapshot].contains {
            text.contains($0) && !asked.contains($0)
        }
    }

    func claim(_ token: String, as worker: String) throws -> ClaimReply {
        let answer = try fleet.call(
            "POST",
            Routes.prefix + Routes.claim(worker),
            token: token,
            body: try JSONEncoder().encode(
                ClaimRequest(request: token, warm: nil, waitSeconds: 0)
            )
        )
        return try JSONDecoder().decode(ClaimReply.self, from: try #require(answer).body)
    }

    /// Runs the units with a token and a worker of the first team.
    func run(with token: String) throws -> ProcessEnding {
        let worker = try fleet.startWorker("near")
        defer {
            kill(worker.pid, SIGTERM)
            _ = worker.ending(within: 40)
        }
        return try fleet.project.program(["SNAPFARM_TOKEN": token]).run([
            "run", "app.yaml", "--coordinator", fleet.url, "--select", "job=unit_test",
            "--data", "near",
        ])
    }
}
