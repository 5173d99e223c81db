import FarmCore
import Testing

@Suite("The pipelines that a token reaches")
struct PipelineReachTests {
    @Test(
        "are those whose names match one of its patterns",
        arguments: [
            (["pay-*"], "pay-app", true), (["pay-*"], "pay", false), (["pay-*"], "xpay-app", false),
            (["pay-*", "web"], "web", true), (["pay-*", "web"], "web2", false),
            (["p?y"], "pay", true), (["pay\\*"], "pay*", true), (["pay\\*"], "pay-app", false),
            (["PAY-*"], "pay-app", false), ([""], "pay", false),
            ([], "pay", false), (["*"], "pay", true), (["web", "*"], "pay", true),
        ]
    )
    func patterns(patterns: [String], pipeline: String, isReached: Bool) {
        #expect(PipelineReach(patterns: patterns).reaches(pipeline) == isReached)
    }

    @Test("are all without patterns, and with a pattern that matches all names")
    func everything() {
        #expect(PipelineReach.everything.reaches("pay"))
        #expect(PipelineReach(patterns: ["web", "*"]) == .everything)
        #expect(!PipelineReach(patterns: []).isEverything)
        #expect(PipelineReach.everything.words == "*")
        #expect(PipelineReach(patterns: ["pay-*", "web"]).words == "pay-*, web")
    }
}
