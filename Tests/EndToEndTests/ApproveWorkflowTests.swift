// Runs the workflow that a team copies, step by step like GitHub, against stand-ins for GitHub's
// program gh and its API, and a real repository.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("The workflow that a comment starts", .serialized, .enabled(if: Workflow.hasTools))
    struct ApproveWorkflowTests {
        @Test(
            "what somebody with the right accepts becomes a commit with its status, and an answer"
        )
        func accepted() throws {
            let place = try WorkflowPlace()
            let (one, two) = (
                try place.red.change("A/Suite/one"), try place.red.change("A/Suite/two")
            )
            let run = place.red.summary.run.id
            let text =
                "/snapfarm accept \(run)\r\n\(one) `id` $(touch owned) \"; touch owned\r\n\(two)"
            #expect(try place.run(comment: text) == true)
            #expect(try place.posted().last?.contains("Approved 4 changed") == true)
            #expect(try place.red.main("log", "-1", "--format=%an", "main") == "ada")
            #expect(try place.hub.statuses().last?["state"] == "success")
            #expect(try !place.isOwned())
            let fresh = try place.red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
        }

        @Test(
            "a rejection is in the pull request's comment; a second comment decides what the first left"
        )
        func second() throws {
            let place = try WorkflowPlace()
            let run = place.red.summary.run.id
            let (one, two) = (
                try place.red.change("A/Suite/one"), try place.red.change("A/Suite/two")
            )
            let reject = "/snapfarm reject \(run): too pale\n\(two)"
            #expect(try place.run(comment: reject) == true)
            let said = try place.hub.comments().last?["body"] ?? ""
            let words = said.replacing("&#58;", with: ":")
            #expect(words.contains("**rejected by ada: too pale**"), "\(said)")
            #expect(said.contains("\n/snapfarm accept \(run)\n\(one) "), "\(said)")
            #expect(try place.run(comment: "/snapfarm accept \(run)\n\(one)") == true)
            #expect(try place.hub.statuses().last?["state"] == "failure")
            try place.change { $0["artifact"] = "another" }
            #expect(try place.run(comment: "/snapfarm accept \(run)\n\(two)") == false)
            #expect(try place.posted().last?.contains("left no artifact snapfarm") == true)
            try place.change { _ in }
            #expect(try place.run(comment: "/snapfarm accept \(run)\n\(two)") == true)
            let posted = try place.posted()
            #expect(posted.count == 4 && posted[3].contains("Approved 2 changed"), "\(posted)")
            #expect(try place.hub.statuses().last?["state"] == "success")
            let fresh = try place.red.team.clone("fresh")
            #expect(try fresh.snapfarm(["run", "app.yaml"]).status == 0)
            try fresh.draw("one", shade: 77)
            try fresh.push("newer than the run")
            try place.change { _ in }
            #expect(try place.run(comment: "/snapfarm accept \(run)\n\(two)") == false)
            #expect(try place.posted().last?.contains("No run of the newest commit") == true)
        }

        @Test(
            "who may not write, a fork, a run that is not there and foreign text change nothing",
            arguments: ["reader", "fork", "no run", "text"]
        )
        func refused(why: String) throws {
            let place = try WorkflowPlace()
            let before = try place.red.main("rev-parse", "main")
            let one = try place.red.change("A/Suite/one")
            var text = "/snapfarm accept \(place.red.summary.run.id)\n\(one)\n"
            var answer = ""
            switch why {
            case "reader":
                try place.change { $0["permission"] = "read" }
                answer = "Only those who may write"
            case "fork":
                try place.change { $0["head"] = "somebody/r" }
                answer = "comes from a fork"
            case "no run":
                try place.change { $0["hasRun"] = false }
                answer = "No run of the newest commit has ended"
            default:
                text += "'; touch owned; echo ${IFS}$(touch owned)`touch owned`\n"
                answer = "Nothing was decided."
            }
            #expect(try place.run(comment: text) == false)
            let posted = try place.posted()
            #expect(posted.count == 1 && posted[0].contains(answer), "\(posted)")
            #expect(try place.red.main("rev-parse", "main") == before)
            #expect(try place.red.team.setsOfStore() == 1)
            #expect(try !place.isOwned())
        }
    }
}

/// The steps of `pipelines/github/approve.yml` that have a script.
private struct Workflow {
    struct Step: Decodable {
        var id: String?
        var run: String
        var env: [String: String]
        var always: Bool
    }

    let steps: [Step]

    static let hasTools =
        (try? TestProcess.run(["python3", "-c", "import yaml"]))?.status == 0
        && (try? TestProcess.run(["jq", "--version"]))?.status == 0

    static let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().path

    init() throws {
        let program = """
            import json, sys, yaml
            job = yaml.safe_load(open(sys.argv[1]))["jobs"]["approve"]
            print(json.dumps([{
                "id": s.get("id"), "run": s["run"], "always": s.get("if") == "always()",
                "env": {k: str(v) for k, v in {**job["env"], **s.get("env", {})}.items()},
            } for s in job["steps"] if "run" in s]))
            """
        let file = Self.folder + "/pipelines/github/approve.yml"
        let ending = try TestProcess.run(["python3", "-c", program, file])
        try #require(ending.status == 0, "\(ending.said)")
        steps = try JSONDecoder().decode([Step].self, from: Data(ending.output.utf8))
    }
}

/// A red run, the stand-in for GitHub, and the machine of the job.
private final class WorkflowPlace {
    let red: RedRun
    let hub: GitHubServer
    private let tools: TemporaryFolder
    private let port: String
    private let folder: String

    init() throws {
        red = try RedRun(["GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r"])
        hub = try GitHubServer()
        try hub.start(showing: red.team.folder.file("main.git"))
        tools = try TemporaryFolder("workflow")
        folder = red.clone.path
        let pipeline = red.text(red.clone, "app.yaml")
        port = String(try #require(pipeline.firstMatch(of: /127\.0\.0\.1:(\d+)\//)).1)
        // The same repository under its name at GitHub.
        try FileManager.default.createDirectory(
            atPath: red.team.folder.file("o"),
            withIntermediateDirectories: true
        )
        try FileManager.default.createSymbolicLink(
            atPath: red.team.folder.file("o/r.git"),
            withDestinationPath: red.team.folder.file("main.git")
        )
        let gh = Workflow.folder + "/Tests/FarmRunTests/CI/StandIn/gh"
        try FileManager.default.copyItem(atPath: gh, toPath: tools.file("gh"))
        chmod(tools.file("gh"), 0o755)
        try FileManager.default.createSymbolicLink(
            atPath: tools.file("snapfarm"),
            withDestinationPath: Program.path
        )
        let scripts = folder + "/pipelines"
        try FileManager.default.createDirectory(
            atPath: scripts,
            withIntermediateDirectories: true
        )
        try FileManager.default.copyItem(
            atPath: Workflow.folder + "/pipelines/approve.sh",
            toPath: scripts + "/approve.sh"
        )
        try change { _ in }
    }

    /// Changes the facts that the stand-in for GitHub serves, such as `permission`, `head` and
    /// `hasRun`.
    func change(_ body: (inout [String: Any]) -> Void) throws {
        var facts: [String: Any] = [
            "permission": "write", "head": "o/r", "hasRun": true, "artifact": "snapfarm",
        ]
        body(&facts)
        let commit = try red.main("rev-parse", "main")
        let artifact = facts["artifact"] as? String ?? ""
        let state: [String: Any] = [
            "api": [
                "repos/o/r/collaborators/ada/permission": ["permission": facts["permission"] ?? ""],
                "repos/o/r/pulls/7": [
                    "head": [
                        "ref": "main", "sha": commit, "repo": ["full_name": facts["head"] ?? ""],
                    ] as [String: Any]
                ],
            ] as [String: Any],
            "runs": facts["hasRun"] as? Bool == true ? [red.summary.run.commit: 99] : [:],
            "artifacts": ["99": [artifact: red.output]],
            "posted": try posted(),
            "git": red.team.folder.file("main.git"),
        ]
        try JSONSerialization.data(withJSONObject: state)
            .write(to: URL(fileURLWithPath: tools.file("state.json")))
    }

    func posted() throws -> [String] {
        guard let bytes = FileManager.default.contents(atPath: tools.file("state.json")) else {
            return []
        }
        let state = try JSONSerialization.jsonObject(with: bytes) as? [String: Any]
        return state?["posted"] as? [String] ?? []
    }

    /// Returns whether a part of a comment was run as a command.
    func isOwned() throws -> Bool {
        let found = try TestProcess.run(
            ["find", red.team.folder.path, tools.path, "-name", "owned"]
        )
        return !found.output.isEmpty
    }

    /// Runs the job and returns whether all its steps succeeded.
    func run(comment: String) throws -> Bool {
        // Every job starts with a checkout of its own.
        for name in ["out", "answer.md", ".snapfarm"] {
            try? FileManager.default.removeItem(atPath: "\(folder)/\(name)")
        }
        var outputs: [String: String] = [:]
        var isFine = true
        for step in try Workflow().steps where isFine || step.always {
            var environment = [
                "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r",
                "GITHUB_EVENT_NAME": "issue_comment",
                "GITHUB_SHA": try red.main("rev-parse", "main"), "GITHUB_WORKSPACE": folder,
                "GITHUB_API_URL": "http://127.0.0.1:\(hub.port)",
                "GITHUB_OUTPUT": tools.file("output"),
                "RUNNER_TEMP": tools.path, "GH_STATE": tools.file("state.json"),
                "HOME": tools.path, "GIT_CONFIG_NOSYSTEM": "1",
                "PATH": "\(tools.path):/usr/local/bin:/usr/bin:/bin",
            ]
            for (name, value) in step.env {
                environment[name] = try resolved(value, comment, outputs)
            }
            try Data().write(to: URL(fileURLWithPath: tools.file("output")))
            let ending = try TestProcess.run(
                ["sh", "-e", "-c", step.run],
                environment: environment,
                in: folder
            )
            if ending.status != 0 { isFine = false }
            let said = try String(contentsOfFile: tools.file("output"), encoding: .utf8)
            for line in said.split(separator: "\n") {
                let parts = line.split(separator: "=", maxSplits: 1).map(String.init)
                outputs["steps.\(step.id ?? "").outputs.\(parts[0])"] = parts[1]
            }
        }
        return isFine
    }

    /// Returns a value with its expressions filled in as GitHub does.
    ///
    /// An unknown expression fails the test.
    private func resolved(
        _ value: String,
        _ comment: String,
        _ outputs: [String: String]
    ) throws -> String {
        let known = [
            "github.token": "good", "github.event.issue.number": "7",
            "github.event.comment.user.login": "ada", "github.event.comment.body": comment,
            "github.server_url": "git://127.0.0.1:\(port)", "github.repository": "o/r",
            "secrets.SNAPFARM_STORE_TOKEN": "",
        ].merging(outputs) { _, new in new }
        var result = value
        while let match = result.firstMatch(of: /\$\{\{ ([^}]+) \}\}/) {
            let text = try #require(known[String(match.1)], "nobody knows \(match.1)")
            if match.0 == value { return text }
            result.replaceSubrange(match.range, with: text)
        }
        return result
    }
}
