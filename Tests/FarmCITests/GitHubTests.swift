import FarmCI
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

/// The stand-in for GitHub, and a client that speaks to it with a clock of its own.
private final class StandIn {
    struct Comment: Codable {
        var id: Int
        var body: String
        var mine: Bool
    }
    struct Refusal: Codable {
        var status: Int
        var headers: [String: String]
        init(_ status: Int, _ headers: [String: String] = [:]) {
            self.status = status
            self.headers = headers
        }
        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            try list.encode(status)
            try list.encode(headers)
        }
        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            status = try list.decode(Int.self)
            headers = try list.decode([String: String].self)
        }
    }
    struct State: Codable {
        var token = "good"
        var pulls = [7]
        var shas = [GitHubTests.commit]
        var comments: [Comment] = []
        var statuses: [[String: String]] = []
        var refusals: [Refusal] = []
        var calls: [String] = []
    }

    let folder: TemporaryFolder
    let process: TestProcess
    let client: GitHubClient
    let pauses = Pauses()

    final class Pauses: Sendable {
        let seconds = Mutex<[Double]>([])
    }

    init(_ state: State = State(), token: String = "good", pullRequest: Int? = 7) throws {
        folder = try TemporaryFolder("github")
        let port = try TestPort.free()
        let file = folder.file("state.json")
        try JSONEncoder().encode(state).write(to: URL(fileURLWithPath: file))
        let program = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("StandIn/github.py").path
        process = try TestProcess(["python3", program, "\(port)", file])
        try TestPort.awaitListener(on: port)
        let pauses = pauses
        client = GitHubClient(
            place: GitHubPlace(
                api: "http://127.0.0.1:\(port)",
                repository: "o/r",
                commit: GitHubTests.commit,
                pullRequest: pullRequest
            ),
            token: token,
            now: { 1000 },
            pause: { seconds in pauses.seconds.withLock { $0.append(seconds) } }
        )
    }

    var state: State {
        get throws {
            let bytes = FileManager.default.contents(atPath: folder.file("state.json")) ?? Data()
            return try JSONDecoder().decode(State.self, from: bytes)
        }
    }

    var waited: [Double] { pauses.seconds.withLock { $0 } }
}

@Suite("A run on GitHub")
struct GitHubTests {
    static let commit = String(repeating: "ab", count: 20)

    static func summary(_ state: RunState = .failed, pipeline: String = "wallet") -> RunSummary {
        var summary = CIDeliveryTests.summary()
        summary.run.pipeline = pipeline
        summary.state = state
        summary.counts = VerdictCounts()
        for verdict in [Verdict.passed, .passed, .changed, nil] { summary.counts.add(verdict) }
        return summary
    }

    static func comment(_ text: String) -> GitHubComment {
        GitHubComment(summary(), report: text)
    }

    @Test("the second run of a pull request replaces the comment of the first")
    func sticky() async throws {
        let gitHub = try StandIn()
        try await gitHub.client.put(Self.comment("first"))
        try await gitHub.client.put(Self.comment("second"))
        try await gitHub.client.put(Self.comment("second"))
        await gitHub.client.close()
        let state = try gitHub.state
        #expect(state.comments.map(\.body) == ["<!-- snapfarm:wallet -->\nsecond"])
        #expect(state.calls.filter { !$0.hasPrefix("GET") }.count == 2, "nothing new, no call")
    }

    @Test("the comment is found behind hundreds of others")
    func pages() async throws {
        var state = StandIn.State()
        state.comments = (1...250).map { .init(id: $0, body: "word \($0)", mine: false) }
        state.comments[230] = .init(id: 231, body: "<!-- snapfarm:wallet -->\nold", mine: true)
        let gitHub = try StandIn(state)
        try await gitHub.client.put(Self.comment("new"))
        await gitHub.client.close()
        #expect(try gitHub.state.comments.count == 250)
        #expect(try gitHub.state.comments[230].body.hasSuffix("\nnew"))
    }

    @Test("a comment of somebody else with our marker is left alone; ours is a new one")
    func foreign() async throws {
        var state = StandIn.State()
        state.comments = [.init(id: 1, body: "<!-- snapfarm:wallet -->\nbait", mine: false)]
        let gitHub = try StandIn(state)
        try await gitHub.client.put(Self.comment("ours"))
        await gitHub.client.close()
        #expect(try gitHub.state.comments.map(\.mine) == [false, true])
        #expect(try gitHub.state.comments[0].body.hasSuffix("bait"))
    }

    @Test("two pipelines have a comment each")
    func pipelines() async throws {
        let gitHub = try StandIn()
        try await gitHub.client.put(Self.comment("one"))
        try await gitHub.client.put(
            GitHubComment(Self.summary(pipeline: "wallet --> x"), report: "two")
        )
        await gitHub.client.close()
        #expect(try gitHub.state.comments.count == 2)
        #expect(try gitHub.state.comments[1].body.hasPrefix("<!-- snapfarm:wallet -\u{2010} x -->"))
    }

    @Test("a report beyond GitHub's limit is cut at a line and says so", arguments: ["é", "👩‍👩‍👧"])
    func long(letter: String) async throws {
        let line = String(repeating: letter, count: 40)
        let gitHub = try StandIn()
        try await gitHub.client.put(
            Self.comment(Array(repeating: line, count: 2000).joined(separator: "\n"))
        )
        await gitHub.client.close()
        let body = try #require(try gitHub.state.comments.first?.body)
        #expect(body.hasSuffix("see `report.md` in the output folder.\n"))
        #expect(body.contains("\n\(line)\n"))
    }

    @Test("a push without a pull request gets a status and no comment")
    func push() async throws {
        let gitHub = try StandIn(pullRequest: nil)
        try await gitHub.client.put(Self.comment("text"))
        try await gitHub.client.set(GitHubStatus(Self.summary(), page: "https://ci/1"))
        await gitHub.client.close()
        let state = try gitHub.state
        #expect(state.comments.isEmpty)
        #expect(
            state.statuses == [
                [
                    "sha": Self.commit, "state": "failure", "context": "snapfarm/wallet",
                    "description": "2 of 4 passed, 1 changed, 1 without verdict",
                    "target_url": "https://ci/1",
                ]
            ]
        )
    }

    @Test(
        "limits are waited for as their headers ask, and no longer than a verdict may wait",
        arguments: [
            ([StandInRefusal(429, ["Retry-After": "7"])], [7.0], ""),
            (
                [
                    StandInRefusal(
                        403,
                        ["X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "1030"]
                    )
                ], [30], ""
            ),
            ([StandInRefusal(429)], [60], ""),
            ([StandInRefusal(502), StandInRefusal(503)], [1, 2], ""),
            (Array(repeating: StandInRefusal(500), count: 4), [1, 2, 4], "github-refused"),
            ([StandInRefusal(429, ["Retry-After": "3600"])], [], "github-limited"),
            ([StandInRefusal(403)], [], "github-refused"),
        ]
    )
    func limits(refusals: [StandInRefusal], waits: [Double], code: String) async throws {
        var state = StandIn.State()
        state.refusals = refusals.map { .init($0.status, $0.headers) }
        let gitHub = try StandIn(state)
        var failure = ""
        do {
            try await gitHub.client.set(GitHubStatus(Self.summary(), page: nil))
        } catch let error as GitHubError {
            failure = error.code
        }
        await gitHub.client.close()
        #expect(failure == code)
        #expect(gitHub.waited == waits)
        #expect(try gitHub.state.statuses.count == (code.isEmpty ? 1 : 0))
    }

    @Test("a refusal says what to do", arguments: [("bad", 401), ("good", 422)])
    func refused(token: String, status: Int) async throws {
        var state = StandIn.State()
        state.shas = []
        let gitHub = try StandIn(state, token: token)
        let error = await #expect(throws: GitHubError.self) {
            try await gitHub.client.set(GitHubStatus(Self.summary(), page: nil))
        }
        await gitHub.client.close()
        let known = try #require(error)
        #expect(known.message.contains("with \(status): "))
        #expect(known.remedy.contains(status == 401 ? "SNAPFARM_GITHUB_TOKEN" : "invalid"))
        #expect(gitHub.waited.isEmpty)
    }

    @Test("nobody at the other end is an explained error")
    func silence() async throws {
        let gitHub = try StandIn()
        gitHub.process.kill()
        await #expect(throws: GitHubError.self) {
            try await gitHub.client.set(GitHubStatus(Self.summary(), page: nil))
        }
        await gitHub.client.close()
    }

    @Test("where to, from each provider's variables")
    func places() throws {
        func find(_ environment: [String: String], event: String? = nil) -> GitHubPlace? {
            GitHubPlace.find(
                environment,
                CIEnvironment.detect(environment),
                event: event.map { Data($0.utf8) }
            )
        }
        let head = String(repeating: "cd", count: 20)
        let actions = [
            "GITHUB_ACTIONS": "true", "GITHUB_REPOSITORY": "o/r", "GITHUB_SHA": Self.commit,
            "GITHUB_REF": "refs/pull/7/merge", "GITHUB_API_URL": "https://ghe/api/v3/",
            "GITHUB_SERVER_URL": "https://ghe", "GITHUB_RUN_ID": "5",
        ]
        let found = try #require(
            find(actions, event: "{\"pull_request\":{\"head\":{\"sha\":\"\(head)\"}}}")
        )
        #expect(found.commit == head, "GITHUB_SHA is a merge that nobody pushed")
        #expect(found.pullRequest == 7)
        #expect(found.api == "https://ghe/api/v3")
        #expect(found.page == "https://ghe/o/r/actions/runs/5")
        #expect(find(actions, event: "not JSON")?.commit == Self.commit)
        let circle = [
            "CIRCLECI": "true", "CIRCLE_PROJECT_USERNAME": "o", "CIRCLE_PROJECT_REPONAME": "r",
            "CIRCLE_SHA1": Self.commit, "CIRCLE_PULL_REQUEST": "https://github.com/o/r/pull/9",
        ]
        #expect(find(circle)?.repository == "o/r")
        #expect(find(circle)?.pullRequest == 9)
        for wrong in ["o", "o/r/x", "../r", "o/r?x=1", "o/", "/r"] {
            #expect(
                find(circle.merging(["SNAPFARM_GITHUB_REPOSITORY": wrong]) { $1 }) == nil,
                "\(wrong)"
            )
        }
        #expect(find(circle.merging(["CIRCLE_SHA1": "main"]) { $1 }) == nil)
        #expect(find([:]) == nil)
    }
}

struct StandInRefusal: Sendable {
    let status: Int
    let headers: [String: String]

    init(_ status: Int, _ headers: [String: String] = [:]) {
        self.status = status
        self.headers = headers
    }
}
