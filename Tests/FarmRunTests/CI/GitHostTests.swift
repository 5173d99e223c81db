// Tests of GitLab and Bitbucket beside GitHub: the same texts reach each host through its own
// calls, and the special rules of each are kept.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("A run on GitLab and Bitbucket", .serialized)
struct GitHostTests {
    static let others: [GitHostKind] = [.gitLab, .bitbucket]

    private func part(_ name: String, _ state: RunState) -> RunSummary {
        var summary = GitHubTests.summary(state)
        summary.run.filtered = true
        summary.run.part = name
        return summary
    }

    private func state(_ statuses: [[String: String]], _ name: String) -> String? {
        let newest = statuses.last { $0["name"] == name }
        return newest?["status"] ?? newest?["state"]
    }

    @Test(
        "one comment is made once, found again behind others, and changed",
        arguments: others
    )
    func comment(kind: GitHostKind) async throws {
        var state = StandIn.State()
        state.comments = (1...250).map { .init(id: $0, body: "number \($0)", mine: $0 % 2 == 0) }
        let host = try StandIn(state, of: kind)
        try await host.client.put(GitHubCommentTests.section("first"))
        let made = try #require(try host.state.comments.last)
        #expect(try host.state.comments.count == 251 && made.body.contains("first"))
        try await host.client.put(GitHubCommentTests.section("second"))
        let changed = try #require(try host.state.comments.last)
        #expect(try host.state.comments.count == 251 && changed.id == made.id)
        #expect(changed.body.contains("second") && !changed.body.contains("first"))
        let calls = try host.state.calls
        try await host.client.put(GitHubCommentTests.section("second"))
        let again = try host.state.calls.dropFirst(calls.count)
        #expect(again.allSatisfy { $0.hasPrefix("GET ") }, "the same words are not sent again")
        await host.client.close()
    }

    @Test(
        "a comment of somebody else with our first line is left alone, also where the token may edit it",
        arguments: others,
        [(false, true), (true, false)]
    )
    func foreign(kind: GitHostKind, _ token: (mayEdit: Bool, isHidden: Bool)) async throws {
        let host = try StandIn(of: kind)
        try await host.client.put(GitHubCommentTests.section("theirs"))
        var state = try host.state
        state.comments[0].mine = token.mayEdit
        state.comments[0].stranger = true
        state.hidden = token.isHidden
        let other = try StandIn(state, of: kind)
        try await other.client.put(GitHubCommentTests.section("ours"))
        let bodies = try other.state.comments.map(\.body)
        #expect(bodies.count == 2 && bodies[0].contains("theirs") && bodies[1].contains("ours"))
        await host.client.close()
        await other.client.close()
    }

    @Test(
        "two jobs write one comment, and an old commit leaves the new one's alone",
        arguments: others
    )
    func jobs(kind: GitHostKind) async throws {
        var state = StandIn.State()
        let old = String(repeating: "11", count: 20)
        state.shas = [old, GitHubTests.commit]
        let host = try StandIn(state, of: kind)
        let (first, job) = (host.client, host.job())
        async let one: Void = first.put(GitHubCommentTests.section("one", part: "A"))
        async let two: Void = job.put(GitHubCommentTests.section("two", part: "B"))
        _ = try await (one, two)
        let bodies = try host.state.comments.map(\.body)
        #expect(bodies.count == 1 && bodies[0].contains("one") && bodies[0].contains("two"))
        let late = host.job(commit: old)
        try await late.put(GitHubCommentTests.section("late"))
        #expect(try host.state.comments.map(\.body) == bodies)
        for client in [first, job, late] { await client.close() }
    }

    @Test(
        "the whole waits while parts are green, is red with one, and green by a merge",
        arguments: others
    )
    func statuses(kind: GitHostKind) async throws {
        let host = try StandIn(of: kind)
        let (green, red, waits) =
            kind == .gitLab
            ? ("success", "failed", "pending") : ("SUCCESSFUL", "FAILED", "INPROGRESS")
        func shown(_ name: String) throws -> String? { self.state(try host.state.statuses, name) }
        try await host.client.show(part("job=a", .passed))
        #expect(try shown("snapfarm/wallet (job=a)") == green)
        #expect(try shown("snapfarm/wallet") == waits)
        try await host.client.show(part("job=b", .passed))
        // The state is pending already, and GitLab refuses to set the same state again.
        let whole = CommitStatus(state: .pending, description: "x", context: "snapfarm/wallet")
        try await host.client.set(whole)
        #expect(try shown("snapfarm/wallet") == waits)
        try await host.client.show(part("job=c", .failed))
        #expect(try shown("snapfarm/wallet (job=c)") == red)
        #expect(try shown("snapfarm/wallet") == red)
        // An incomplete part is an error, a state that neither host has.
        try await host.client.show(part("job=d", .incomplete))
        #expect(try shown("snapfarm/wallet (job=d)") == red)
        try await host.client.show(GitHubTests.summary(.passed))
        #expect(try shown("snapfarm/wallet") == green)
        await host.client.close()
    }

    @Test("limits are waited for, and refusals say what to do", arguments: others)
    func refusals(kind: GitHostKind) async throws {
        var state = StandIn.State()
        state.refusals = [.init(429, ["Retry-After": "7"]), .init(503)]
        if kind == .gitLab {
            state.refusals.append(
                .init(429, ["RateLimit-Remaining": "0", "RateLimit-Reset": "1030"])
            )
        }
        let host = try StandIn(state, of: kind)
        try await host.client.set(CommitStatus(GitHubTests.summary(), page: "https://ci/1"))
        #expect(host.waited == (kind == .gitLab ? [7, 2, 30] : [7, 2]))
        #expect(try host.state.statuses.count == 1)
        await host.client.close()
        let expired = try StandIn(of: kind, token: "expired")
        let error = await #expect(throws: HostError.self) {
            try await expired.client.set(CommitStatus(GitHubTests.summary(), page: nil))
        }
        #expect(error?.remedy.contains("\(kind.tokenVariable) is wrong or has expired") == true)
        await expired.client.close()
        let gone = try StandIn(of: kind, pullRequest: 9)
        let missing = await #expect(throws: HostError.self) {
            try await gone.client.put(GitHubCommentTests.section("text"))
        }
        #expect(
            missing?.message.hasPrefix("\(kind.rawValue) refused the list of comments with 404")
                == true
        )
        await gone.client.close()
    }

    @Test("where to, from the variables of GitLab, Bitbucket and Jenkins")
    func places() throws {
        func find(_ kind: GitHostKind, _ environment: [String: String]) -> HostPlace? {
            HostPlace.find(kind, environment, CIEnvironment.detect(environment), event: nil)
        }
        let gitLab = [
            "GITLAB_CI": "true", "CI_API_V4_URL": "https://git.example/api/v4",
            "CI_PROJECT_PATH": "fork/r", "CI_MERGE_REQUEST_PROJECT_PATH": "group/sub/r",
            "CI_MERGE_REQUEST_IID": "5", "CI_COMMIT_SHA": GitHubTests.commit,
            "CI_PIPELINE_ID": "1000", "CI_JOB_URL": "https://git.example/group/sub/r/-/jobs/1",
        ]
        let found = try #require(find(.gitLab, gitLab))
        #expect(found.repository == "group/sub/r" && found.pullRequest == 5)
        #expect(found.pipeline == 1000 && found.server == "https://git.example")
        let head = String(repeating: "cd", count: 20)
        let merged = gitLab.merging(["CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": head]) { $1 }
        #expect(find(.gitLab, merged)?.commit == head, "CI_COMMIT_SHA is a merge nobody pushed")
        let jenkins = [
            "JENKINS_URL": "https://j/", "BUILD_TAG": "jenkins-app-PR-3-7", "CHANGE_ID": "3",
            "GIT_COMMIT": GitHubTests.commit, "SNAPFARM_BITBUCKET_REPOSITORY": "o/r",
        ]
        let bitbucket = try #require(find(.bitbucket, jenkins))
        #expect(bitbucket.pullRequest == 3 && bitbucket.api == "https://api.bitbucket.org/2.0")
        let said = jenkins.merging(["SNAPFARM_COMMIT": head, "SNAPFARM_PULL_REQUEST": "9"]) { $1 }
        #expect(find(.bitbucket, said)?.commit == head)
        #expect(find(.bitbucket, said)?.pullRequest == 9)
        let unknown = [
            "SNAPFARM_COMMIT": head, "SNAPFARM_PULL_REQUEST": "9",
            "SNAPFARM_GITHUB_REPOSITORY": "o/r",
        ]
        #expect(find(.gitHub, unknown)?.pullRequest == 9, "a CI that is not known here")
        let mistyped = CIEnvironment.detect(jenkins.merging(["SNAPFARM_PULL_REQUEST": "x"]) { $1 })
        #expect(mistyped?.problems.map(\.code) == ["pull-request-unusable"])
        #expect(mistyped?.pullRequest == "3")
        for wrong in ["o", "o/r/x", "../r", "o/r?x=1"] {
            let words = jenkins.merging(["SNAPFARM_BITBUCKET_REPOSITORY": wrong]) { $1 }
            #expect(find(.bitbucket, words) == nil, "\(wrong)")
        }
    }

    @Test("a comment without HTML reads back as it was written, whatever names and texts hold")
    func reference() throws {
        var comment = PullRequestComment(commit: GitHubTests.commit, style: .reference)
        let texts = ["|a|b|\n|---|---|", "[//]: # \"snapfarm end\"", "", "two\n\n\nparagraphs"]
        for (index, text) in texts.enumerated() {
            let name = "device=\"iPad\" (\(index)) > x"
            let fits = comment.put(GitHubCommentTests.section(text, part: name))
            #expect(fits)
        }
        let read = try #require(PullRequestComment(parsing: comment.body, style: .reference))
        #expect(read == comment && read.body == comment.body)
        #expect(!comment.body.contains("<!--"))
        #expect(PullRequestComment(parsing: comment.body) == nil)
    }
}
