// Tests of a commit's statuses while the parts of a pipeline end, in any order.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The statuses of a commit")
struct GitHubStatusTests {
    static let parts = ["job=unit_test"] + (1...4).map { "device=\($0)" }

    private static func summary(_ part: String?, _ state: RunState) -> RunSummary {
        var summary = GitHubTests.summary(state)
        summary.run.part = part
        summary.run.filtered = part != nil
        return summary
    }

    static func orders(_ items: [String]) -> [[String]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return orders(rest).map { [first] + $0 }
        }
    }

    @Test("four devices, one red and then green, and green units: green by the merge alone")
    func everyOrder() {
        for order in Self.orders(Self.parts) {
            for red in Self.parts.dropFirst() {
                var known: [CommitStatus] = []
                for part in order {
                    let state = part == red ? RunState.failed : .passed
                    known.append(CommitStatus(Self.summary(part, state), page: nil))
                    let whole = CommitStatus.ofParts(of: "wallet", known: known, page: nil)
                    let hasRed = order.prefix(known.count).contains(red)
                    #expect(whole.state == (hasRed ? .failure : .pending), "\(order), \(red)")
                    #expect(whole.context == "snapfarm/wallet")
                }
                // The red part runs again and is green: the newest status of its context counts.
                let again = CommitStatus(Self.summary(red, .passed), page: nil)
                known = known.map { $0.context == again.context ? again : $0 }
                let whole = CommitStatus.ofParts(of: "wallet", known: known, page: nil)
                #expect(whole.state == .pending, "\(order), \(red)")
                #expect(whole.description.hasPrefix("5 parts passed so far"))
                let merged = CommitStatus(Self.summary(nil, .passed), page: nil)
                #expect(merged.state == .success && merged.context == whole.context)
            }
        }
    }

    @Test("a part that is run again and green takes its red away; only a merge is green")
    func again() async throws {
        let gitHub = try StandIn()
        try await gitHub.client.show(Self.summary("device=1", .failed))
        try await gitHub.client.show(Self.summary("job=unit_test", .passed))
        try await gitHub.client.show(Self.summary("device=1", .passed))
        try await gitHub.client.show(Self.summary(nil, .passed))
        await gitHub.client.close()
        let statuses = try gitHub.state.statuses
        let wholes = statuses.filter { $0["context"] == "snapfarm/wallet" }
        #expect(wholes.map { $0["state"] } == ["failure", "failure", "pending", "success"])
        #expect(wholes[0]["description"] == "1 of 1 parts red: device=1")
        #expect(wholes[2]["description"] == "2 parts passed so far; waits for snapfarm merge")
        #expect(statuses[0]["context"] == "snapfarm/wallet (device=1)")
    }

    @Test("parts that end at the same moment leave the pipeline red when one of them is")
    func sameMoment() async throws {
        let gitHub = try StandIn()
        let jobs = Self.parts.map { part in (part, gitHub.job()) }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (part, client) in jobs {
                let summary = Self.summary(part, part == "device=3" ? .failed : .passed)
                group.addTask { try await client.show(summary) }
            }
            try await group.waitForAll()
        }
        for (_, client) in jobs { await client.close() }
        await gitHub.client.close()
        let statuses = try gitHub.state.statuses
        let whole = try #require(statuses.last { $0["context"] == "snapfarm/wallet" })
        #expect(whole["state"] == "failure")
        #expect(
            !statuses.contains { $0["context"] == "snapfarm/wallet" && $0["state"] == "success" }
        )
    }

    @Test("a part is called by what was selected and by its shard, and long names stay apart")
    func names() throws {
        let words = ["device=iPhone 8 (13.1)", "job=snapshot_test", "appearance=dark"]
        let selection = try Selection(words: words, axes: ["appearance"])
        let name = "job=snapshot_test device=iPhone 8 (13.1) appearance=dark"
        #expect(selection.name == name)
        #expect(try Selection(words: words.reversed(), axes: ["appearance"]).name == name)
        #expect(Selection().name == nil)
        var run = Self.summary(name, .passed).run
        run.shard = "1/4"
        #expect(run.partName == "\(name), shard 2 of 4")
        let long = String(repeating: "x", count: 200)
        let contexts = ["a", "b"].map {
            CommitStatus(Self.summary(long + $0, .passed), page: nil).context
        }
        #expect(contexts[0] != contexts[1] && contexts[0].count < 160)
    }
}
