// Tests of parts by `--select` end to end: one job for unit tests and one for each device, as in
// the examples for CI, and a merge that joins them into one run.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Parts by --select", .serialized)
    struct PartTests {
        private static let units = ["--select", "job=unit_test"]

        private static func device(_ name: String) -> [String] {
            ["--select", "job=snapshot_test", "--select", "device=\(name)"]
        }

        /// Returns a project whose run has changed, missing and new pictures, a failed test, and a
        /// reference without a picture.
        private func eventful() throws -> Project {
            let project = try Project(
                scenes: ["one", "two", "three", "gone"],
                devices: ["A", "B", "C"]
            )
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("scenes", "one\ntwo\nthree\nfive\n")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            try project.folder.write("pictures/B/five.png", Project.png(shade: 99))
            try project.folder.write("act/three", "exit 0")
            return project
        }

        private func parts(
            _ project: Project,
            _ devices: [String],
            environment: [String: String] = [:]
        ) throws -> [String] {
            try project.folder.write("pictures/five.png", Project.png(shade: 98))
            var folders: [String] = []
            let jobs = [("units", Self.units)] + devices.map { ($0, Self.device($0)) }
            for (name, words) in jobs {
                let ending = try project.run(
                    words + ["--output", "part-\(name)"],
                    environment: environment
                )
                #expect([0, 1].contains(ending.status), "\(ending.said)")
                folders.append("part-\(name)")
            }
            return folders
        }

        @Test("where no part arrived, the commit's status says so")
        func nothing() throws {
            let project = try Project()
            let hub = try GitHubServer()
            try SharedProject.git(["init", "-q", "."], in: project.folder.path)
            try SharedProject.git(["commit", "-qm", "x", "--allow-empty"], in: project.folder.path)
            let head = try SharedProject.git(["rev-parse", "HEAD"], in: project.folder.path)
            try hub.start(showing: project.folder.path)
            let environment = [
                "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r",
                "GITHUB_SHA": String(head.output.dropLast()), "SNAPFARM_GITHUB_TOKEN": "good",
                "GITHUB_API_URL": "http://127.0.0.1:\(hub.port)",
            ]
            let merge = ["merge", "parts/*", "--output", "merged"]
            let ending = try project.program(environment).run(merge)
            #expect(ending.status == 2 && ending.errors.contains("no part arrived"))
            let status = try #require(try hub.statuses().last)
            #expect(status["state"] == "error" && status["context"] == "snapfarm/app")
            #expect(status["description"]?.hasPrefix("incomplete: no part arrived") == true)
            try FileManager.default.removeItem(atPath: project.folder.file("app.yaml"))
            let unknown = try project.program(environment).run(merge)
            #expect(unknown.status == 2 && unknown.errors.contains("add --pipeline FILE"))
            #expect(try hub.statuses().count == 1)
        }

        @Test("merged device and unit jobs equal the unselected run but for times")
        func whole() throws {
            let project = try eventful()
            let folders = try parts(project, ["A", "B", "C"])
            let merged = try project.program().run(
                ["merge"] + folders.reversed() + ["--output", "merged"]
            )
            #expect(merged.status == 1, "\(merged.said)")
            let whole = try project.run(["--output", "whole"])
            #expect(whole.status == 1, "\(whole.said)")
            let (one, joined) = (try project.summary("whole"), try project.summary("merged"))
            #expect(one.timeless == joined.timeless)
            #expect(joined.run.part == nil && !joined.run.filtered)
            #expect(joined.counts.changed == 3 && joined.counts.planned == 15)
            #expect(joined.snapshots.filter { $0.verdict == .missing }.count == 6)
            #expect(project.exists("merged/FailureDiffs.zip"))
            let approved = try project.program().run(
                ["approve", "app.yaml", "--from", "merged", "--select", "verdict=changed"]
            )
            #expect(approved.status == 0, "\(approved.said)")
        }

        @Test("a merge says what was rejected before, as a run does")
        func rejectedBefore() throws {
            let project = try eventful()
            #expect(try project.run().status == 1)
            let two = ["--run", "latest", "--select", "snapshot=A/*two", "--reason", "pale"]
            #expect(try project.program().run(["reject"] + two).status == 0)
            let folders = try parts(project, ["A", "B", "C"])
            let merged = try project.program().run(["merge"] + folders + ["--output", "merged"])
            #expect(merged.output.contains("1 picture was rejected before"), "\(merged.output)")
            #expect(merged.output.contains(": pale"), "\(merged.output)")
        }

        @Test("a missing device is named, parts that overlap are refused, and nothing is written")
        func refused() throws {
            let project = try Project(devices: ["A", "B"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            let folders = try parts(project, ["A", "B"])
            func merge(_ folders: [String]) throws -> String {
                let ending = try project.program().run(
                    ["merge"] + folders + ["--output", "merged"]
                )
                #expect(ending.status == 2, "\(ending.said)")
                #expect(!project.exists("merged"))
                return ending.errors
            }
            let missing = try merge(["part-units", "part-A"])
            #expect(missing.contains("B is missing: no part ran snapshot_test on it"), "\(missing)")
            let unit = try merge(["part-A", "part-B"])
            #expect(unit.contains("no part ran unit_test"), "\(unit)")
            let all = ["--select", "job=snapshot_test", "--output", "all"]
            #expect(try project.run(all).status == 0)
            let twice = try merge(folders + ["all"])
            #expect(twice.contains("overlaps"), "\(twice)")
            // A different list of tests: the scenes changed between two jobs.
            try project.folder.write("scenes", "one\n")
            let shorter = Self.device("B") + ["--output", "part-B"]
            #expect(try project.run(shorter).status == 0)
            let unlike = try merge(folders)
            #expect(unlike.contains("list of tests of snapshot_test"), "\(unlike)")
        }

        @Test("a pull request hears the whole: red with its device, and only a merge is green")
        func pullRequest() throws {
            let project = try Project(devices: ["A", "B"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            let gitHub = try GitHubAtHand(project)
            defer { gitHub.process.kill() }
            try project.folder.write("pictures/B/one.png", Project.png(shade: 200))
            _ = try parts(project, ["B", "A"], environment: gitHub.environment)
            #expect(try gitHub.state("snapfarm/app") == "failure", "units were green after B")
            let device = "snapfarm/app (job=snapshot_test device="
            #expect(try gitHub.state(device + "B)") == "failure")
            #expect(try gitHub.state(device + "A)") == "success")
            #expect(try gitHub.comment().contains("section: app > job=snapshot_test device=B"))
            try FileManager.default.removeItem(atPath: project.folder.file("pictures/B/one.png"))
            let again = Self.device("B") + ["--output", "part-B"]
            #expect(try project.run(again, environment: gitHub.environment).status == 0)
            #expect(try gitHub.state("snapfarm/app") == "pending")
            func merge(_ folders: [String]) throws -> Int32 {
                try project.program(gitHub.environment)
                    .run(["merge"] + folders + ["--output", "merged"]).status
            }
            #expect(try merge(["part-units", "part-A"]) == 2)
            #expect(try gitHub.state("snapfarm/app") == "error")
            #expect(try merge(["part-units", "part-A", "part-B"]) == 0)
            #expect(try gitHub.state("snapfarm/app") == "success")
            let comment = try gitHub.comment()
            #expect(comment.contains("section: app -->") && !comment.contains("device="))
        }
    }
}

/// The stand-in for GitHub, with the environment of a CircleCI job.
struct GitHubAtHand {
    let process: TestProcess
    let environment: [String: String]
    /// The environment of a GitHub Actions job for the same pull request.
    let actions: [String: String]
    private let file: String

    init(_ project: Project) throws { try self.init(in: project.folder) }

    init(in folder: TemporaryFolder) throws {
        let commit = String(repeating: "c0", count: 20)
        let state = """
            {"token": "good", "pulls": [7], "shas": ["\(commit)"], "comments": [],
             "statuses": [], "refusals": [], "calls": []}
            """
        file = try folder.write("github.json", state)
        let port = try TestPort.reserved()
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().appendingPathComponent("FarmRunTests/CI/StandIn/github.py")
        process = try TestProcess(["python3", program.path, "\(port)", file])
        try TestPort.awaitListener(on: port)
        let token = [
            "CI": "true", "SNAPFARM_GITHUB_TOKEN": "good",
            "GITHUB_API_URL": "http://127.0.0.1:\(port)",
        ]
        environment = token.merging([
            "CIRCLECI": "true", "CIRCLE_SHA1": commit, "CIRCLE_WORKFLOW_ID": "w-1",
            "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/7",
            "SNAPFARM_GITHUB_REPOSITORY": "o/r",
        ]) { own, _ in own }
        actions = token.merging([
            "GITHUB_ACTIONS": "true", "GITHUB_SHA": commit, "GITHUB_REF": "refs/pull/7/merge",
            "GITHUB_REPOSITORY": "o/r", "GITHUB_RUN_ID": "5",
            "GITHUB_SERVER_URL": "https://github.example",
        ]) { own, _ in own }
    }

    private struct Shown: Decodable {
        struct Status: Decodable {
            let context: String
            let state: String
            let description: String
            let link: String?

            enum CodingKeys: String, CodingKey {
                case context, state, description
                case link = "target_url"
            }
        }
        struct Comment: Decodable {
            let body: String
        }
        let statuses: [Status]
        let comments: [Comment]
    }

    private var shown: Shown {
        get throws {
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            return try JSONDecoder().decode(Shown.self, from: bytes)
        }
    }

    /// Returns the newest status of a context.
    func state(_ context: String) throws -> String? {
        try shown.statuses.last { $0.context == context }?.state
    }

    /// Returns the description of that status.
    func words(_ context: String) throws -> String? {
        try shown.statuses.last { $0.context == context }?.description
    }

    /// Returns the link of that status.
    func page(_ context: String) throws -> String? {
        try shown.statuses.last { $0.context == context }?.link
    }

    /// Returns the body of the only comment.
    func comment() throws -> String {
        let comments = try shown.comments
        #expect(comments.count == 1)
        return comments.first?.body ?? ""
    }
}
