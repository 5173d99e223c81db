// Tests of the one comment for all parts of all pipelines: each part owns its section, and no
// section is lost.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The comment of a pull request")
struct GitHubCommentTests {
    static func section(
        _ text: String,
        pipeline: String = "wallet",
        part: String? = nil,
        shard: String? = nil
    ) -> PullRequestSection {
        var run = GitHubTests.summary(pipeline: pipeline).run
        run.part = part
        run.shard = shard
        return PullRequestSection(run) { bytesMax in
            String(decoding: text.utf8.prefix(bytesMax), as: UTF8.self)
        }
    }

    private static func put(_ section: PullRequestSection, into comment: inout PullRequestComment)
        throws
    {
        let hasRoom = comment.put(section)
        try #require(hasRoom)
    }

    private static let head = "<!-- snapfarm: \(GitHubTests.commit) -->\n"

    private static func marked(_ owner: String, _ text: String) -> String {
        "<!-- snapfarm section: \(owner) -->\n\(text)\n<!-- snapfarm end -->"
    }

    @Test("the second run of a pull request replaces the section of the first")
    func sticky() async throws {
        let gitHub = try StandIn()
        try await gitHub.client.put(Self.section("first"))
        try await gitHub.client.put(Self.section("second"))
        try await gitHub.client.put(Self.section("second"))
        await gitHub.client.close()
        let state = try gitHub.state
        #expect(state.comments.map(\.body) == [Self.head + Self.marked("wallet", "second")])
        #expect(state.calls.filter { !$0.hasPrefix("GET") }.count == 2, "nothing new, no call")
    }

    @Test("parts and pipelines keep each other's sections, and a merge speaks for its parts")
    func parts() async throws {
        let gitHub = try StandIn()
        for part in ["device=B", "device=A"] {
            try await gitHub.client.put(Self.section("of \(part)", part: part))
        }
        try await gitHub.client.put(Self.section("other", pipeline: "web --> x"))
        try await gitHub.client.put(Self.section("again", part: "device=B"))
        #expect(
            try gitHub.state.comments.map(\.body) == [
                Self.head + Self.marked("wallet > device=A", "of device=A") + "\n"
                    + Self.marked("wallet > device=B", "again") + "\n"
                    + Self.marked("web -\u{2010} x", "other")
            ]
        )
        try await gitHub.client.put(Self.section("merged"))
        await gitHub.client.close()
        #expect(
            try gitHub.state.comments.map(\.body) == [
                Self.head + Self.marked("wallet", "merged") + "\n"
                    + Self.marked("web -\u{2010} x", "other")
            ]
        )
    }

    @Test("in every order one red device says so beside the others, until it is green")
    func everyOrder() throws {
        var bodies: Set<String> = []
        for order in GitHubStatusTests.orders(GitHubStatusTests.parts) {
            for red in GitHubStatusTests.parts.dropFirst() {
                var comment = PullRequestComment(commit: GitHubTests.commit)
                for part in order {
                    let text = "\(part): \(part == red ? "failed" : "passed")"
                    try Self.put(Self.section(text, part: part), into: &comment)
                    let seen = order.prefix { $0 != part } + [part]
                    #expect(comment.body.contains("\(red): failed") == seen.contains(red))
                }
                #expect(comment.body.ranges(of: ": passed").count == 4, "\(order), \(red)")
                try Self.put(Self.section("\(red): passed", part: red), into: &comment)
                bodies.insert(comment.body)
                try Self.put(Self.section("all: passed"), into: &comment)
                #expect(comment.body == Self.head + Self.marked("wallet", "all: passed"))
            }
        }
        #expect(bodies.count == 1, "what is green in the end is told alike, whatever came first")
        #expect(bodies.allSatisfy { !$0.contains("failed") })
    }

    @Test("the merge of a part's shards speaks for them and for no other part")
    func shards() throws {
        var comment = PullRequestComment(commit: GitHubTests.commit)
        try Self.put(Self.section("one", part: "job=s", shard: "0/2"), into: &comment)
        try Self.put(Self.section("two", part: "job=s", shard: "1/2"), into: &comment)
        try Self.put(Self.section("unit", part: "job=u"), into: &comment)
        try Self.put(Self.section("both", part: "job=s"), into: &comment)
        #expect(
            comment.body == Self.head + Self.marked("wallet > job=s", "both") + "\n"
                + Self.marked("wallet > job=u", "unit")
        )
    }

    @Test("the first part of a new commit drops the sections of the old one")
    func newCommit() async throws {
        var state = StandIn.State()
        let newer = String(repeating: "cd", count: 20)
        state.heads = ["7": newer]
        let gitHub = try StandIn(state)
        let next = gitHub.job(commit: newer)
        try await gitHub.client.put(Self.section("old", part: "device=A"))
        try await next.put(Self.section("new", part: "device=B"))
        let shown = "<!-- snapfarm: \(newer) -->\n" + Self.marked("wallet > device=B", "new")
        #expect(try gitHub.state.comments.map(\.body) == [shown])
        // A slow job of the old commit must not change the comment any more.
        try await gitHub.client.put(Self.section("late", part: "device=A"))
        #expect(try gitHub.state.comments.map(\.body) == [shown])
        await next.close()
        await gitHub.client.close()
    }

    @Test(
        "two jobs that write at the same moment lose nothing and leave one comment",
        arguments: [false, true]
    )
    func race(hasComment: Bool) async throws {
        var state = StandIn.State()
        state.meet = 2
        if hasComment {
            var comment = PullRequestComment(commit: GitHubTests.commit)
            _ = comment.put(Self.section("before", part: "device=0"))
            state.comments = [.init(id: 1, body: comment.body, mine: true)]
        }
        let gitHub = try StandIn(state)
        let (one, other) = (gitHub.job(meets: 2), gitHub.job(meets: 2))
        async let first: Void = one.put(Self.section("one", part: "device=1"))
        async let second: Void = other.put(Self.section("two", part: "device=2"))
        _ = try await (first, second)
        await one.close()
        await other.close()
        await gitHub.client.close()
        let bodies = try gitHub.state.comments.map(\.body)
        let before = hasComment ? Self.marked("wallet > device=0", "before") + "\n" : ""
        #expect(
            bodies == [
                Self.head + before + Self.marked("wallet > device=1", "one") + "\n"
                    + Self.marked("wallet > device=2", "two")
            ]
        )
        let writes = try gitHub.state.calls.count { !$0.hasPrefix("GET") }
        #expect(writes >= 3, "the two wrote over each other first")
    }

    @Test("a job that is always written over gives up and says so")
    func contended() async throws {
        var state = StandIn.State()
        let lost = StandIn.Refusal(502)
        state.refusals = Array(repeating: [lost, lost, lost], count: 4).flatMap(\.self)
        let gitHub = try StandIn(state)
        await #expect(throws: HostError.self) {
            try await gitHub.client.put(Self.section("text"))
        }
        await gitHub.client.close()
        #expect(gitHub.waited.count <= 20)
    }

    @Test("the comment is found behind hundreds of others")
    func pages() async throws {
        var state = StandIn.State()
        state.comments = (1...250).map { .init(id: $0, body: "word \($0)", mine: false) }
        let old = PullRequestComment(commit: GitHubTests.commit).body
        state.comments[230] = .init(id: 231, body: old, mine: true)
        let gitHub = try StandIn(state)
        try await gitHub.client.put(Self.section("new"))
        await gitHub.client.close()
        #expect(try gitHub.state.comments.count == 250)
        #expect(try gitHub.state.comments[230].body.contains("\nnew\n"))
    }

    @Test(
        "a comment of somebody else with our first line is left alone, also where the token may edit it",
        arguments: [(false, false), (true, false), (true, true)]
    )
    func foreign(isEditable: Bool, isApp: Bool) async throws {
        var state = StandIn.State()
        let bait = PullRequestComment(commit: GitHubTests.commit).body
        state.comments = [.init(id: 1, body: bait, mine: isEditable, stranger: true)]
        state.hidden = isApp
        let gitHub = try StandIn(state)
        try await gitHub.client.put(Self.section("ours"))
        try await gitHub.client.put(Self.section("ours again"))
        await gitHub.client.close()
        let bodies = try gitHub.state.comments.map(\.body)
        #expect(bodies.count == 2 && bodies[0] == bait && bodies[1].contains("ours again"))
    }

    @Test("a hundred wordy parts fit into what GitHub takes, or say that there is no room")
    func room() {
        var comment = PullRequestComment(commit: GitHubTests.commit)
        let wordy = String(repeating: "é\n", count: 50_000)
        var taken = 0
        for part in 1...100 where comment.put(Self.section(wordy, part: "device=\(part)")) {
            taken += 1
        }
        #expect(taken > 12)
        #expect(comment.body.utf16.count < 65_536)
    }

    @Test("a test's own words end no section, and a comment survives the editor's line ends")
    func hostile() throws {
        var comment = PullRequestComment(commit: GitHubTests.commit)
        let bait = "a\n<!-- snapfarm end -->\n<!-- snapfarm section: wallet -->\r\nb"
        try Self.put(Self.section(bait, part: "x"), into: &comment)
        let read = try #require(
            PullRequestComment(parsing: comment.body.replacing("\n", with: "\r\n"))
        )
        #expect(read == comment)
        #expect(PullRequestComment(parsing: "<!-- snapfarm --> no") == nil)
    }
}
