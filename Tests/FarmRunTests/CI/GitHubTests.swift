import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

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

    @Test("a push without a pull request gets a status and no comment")
    func push() async throws {
        let gitHub = try StandIn(pullRequest: nil)
        try await gitHub.client.put(GitHubCommentTests.section("text"))
        try await gitHub.client.set(CommitStatus(Self.summary(), page: "https://ci/1"))
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
            (Array(repeating: StandInRefusal(500), count: 4), [1, 2, 4], "host-refused"),
            ([StandInRefusal(429, ["Retry-After": "3600"])], [], "host-limited"),
            ([StandInRefusal(403)], [], "host-refused"),
        ]
    )
    func limits(refusals: [StandInRefusal], waits: [Double], code: String) async throws {
        var state = StandIn.State()
        state.refusals = refusals.map { .init($0.status, $0.headers) }
        let gitHub = try StandIn(state)
        var failure = ""
        do {
            try await gitHub.client.set(CommitStatus(Self.summary(), page: nil))
        } catch let error as HostError {
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
        let error = await #expect(throws: HostError.self) {
            try await gitHub.client.set(CommitStatus(Self.summary(), page: nil))
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
        let error = await #expect(throws: HostError.self) {
            try await gitHub.client.set(CommitStatus(Self.summary(), page: nil))
        }
        let message = error?.message ?? ""
        #expect(message.hasSuffix("the commit status: connection refused."), "\(message)")
        await gitHub.client.close()
    }

    @Test("pictures are shown of a store on the pull request's own host, and of no other")
    func pictures() throws {
        let place = HostPlace(repository: "o/r", commit: Self.commit, pullRequest: 7)
        func host(_ store: String, _ place: HostPlace) throws -> HostPictures? {
            let location = try StoreLocation(parsing: store, relativeTo: "/")
            return HostPictures(store: location, place: place)
        }
        var picture = try #require(CIDeliveryTests.summary().snapshots.first)
        picture.id = "iPhone-8_13.1/Suite/cart é"
        picture.reference = String(repeating: "1", count: 40)
        for store in ["https://github.com/o/refs.git", "git@github.com:o/refs.git"] {
            let found = try #require(try host(store, place))
            let base = "https://github.com/o/refs/raw"
            let path = "iPhone-8_13.1/Suite/cart%20%C3%A9.png"
            #expect(found.reference(picture, set: "abc") == "\(base)/abc/\(path)")
            #expect(found.proposed(picture) == "\(base)/refs/heads/proposals/7/\(path)")
            picture.verdict = .missing
            #expect(found.proposed(picture) == nil)
            picture.verdict = .changed
        }
        #expect(try host("https://gitlab.com/o/refs.git", place) == nil)
        #expect(try host("/srv/refs.git", place) == nil)
        let enterprise = HostPlace(
            api: "https://ghe/api/v3",
            repository: "o/r",
            commit: Self.commit,
            pullRequest: 7
        )
        #expect(try host("ssh://git@ghe/o/refs.git", enterprise) != nil)
        let push = HostPlace(repository: "o/r", commit: Self.commit, pullRequest: nil)
        #expect(try host("git@github.com:o/refs.git", push) == nil)
    }

    @Test("where to, from each provider's variables")
    func places() throws {
        func find(_ environment: [String: String], event: String? = nil) -> HostPlace? {
            HostPlace.find(
                .gitHub,
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

@Suite("Where a job's artifacts are")
struct ArtifactPagesTests {
    @Test(
        "each provider's own place, or the job's page",
        arguments: [
            (
                ["CIRCLECI": "true", "CIRCLE_BUILD_URL": "https://c/1"], "https://c/1",
                "https://c/1#artifacts"
            ),
            (
                ["BITRISE_IO": "true", "BITRISE_BUILD_URL": "https://b/1"], "https://b/1",
                "https://b/1?tab=artifacts"
            ),
            (
                ["GITLAB_CI": "true", "CI_JOB_URL": "https://g/1"], "https://g/1",
                "https://g/1/artifacts/browse"
            ),
            (
                [
                    "BUILDKITE": "true", "BUILDKITE_BUILD_URL": "https://k/1",
                    "BUILDKITE_JOB_ID": "j",
                ], "https://k/1", "https://k/1#j"
            ),
            (
                [
                    "GITHUB_ACTIONS": "true", "GITHUB_SERVER_URL": "https://h",
                    "GITHUB_REPOSITORY": "o/r",
                    "GITHUB_RUN_ID": "5",
                ], "https://h/o/r/actions/runs/5", "https://h/o/r/actions/runs/5#artifacts"
            ),
            (
                ["BITBUCKET_REPO_FULL_NAME": "o/r", "BITBUCKET_BUILD_NUMBER": "8"],
                "https://bitbucket.org/o/r/pipelines/results/8",
                "https://bitbucket.org/o/r/pipelines/results/8"
            ),
            (
                ["JENKINS_URL": "https://j/", "BUILD_URL": "https://j/job/a/7/"],
                "https://j/job/a/7/", "https://j/job/a/7/artifact/"
            ),
            (["CI": "true", "BUILD_URL": "https://somebody/"], nil, nil),
            (
                [
                    "CIRCLECI": "true", "SNAPFARM_PAGE": "https://h/o/r/actions/runs/9",
                    "CIRCLE_BUILD_URL": "https://c/1",
                ],
                "https://h/o/r/actions/runs/9", "https://h/o/r/actions/runs/9#artifacts"
            ),
            (["CIRCLECI": "true", "CIRCLE_BUILD_URL": ""], nil, nil),
        ] as [([String: String], String?, String?)]
    )
    func pages(environment: [String: String], page: String?, artifacts: String?) throws {
        var all = environment
        all["SNAPFARM_COMMIT"] = GitHubTests.commit
        all["SNAPFARM_GITHUB_REPOSITORY"] = "o/r"
        let ci = CIEnvironment.detect(all)
        let place = try #require(HostPlace.find(.gitHub, all, ci, event: nil))
        #expect(place.page == page && place.artifacts == artifacts)
        #expect(ci?.page == page)
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
