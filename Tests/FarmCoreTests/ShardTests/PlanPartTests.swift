// Tests that a part's outline of its pipeline, which comes from another machine, is never trusted.
import FarmCore
import FarmTesting
import Testing

@Suite("Parts of a pipeline")
struct PlanPartTests {
    private static func plan() throws -> (plan: Plan, part: PlanPart) {
        let whole = HistoryFixture.plan([("snap", ["A", "B"], ["a", "b"])])
        let job = try #require(whole.jobs.first)
        var plan = whole
        plan.filtered = true
        plan.jobs[0].job.cells = [job.job.cells[0]]
        plan.jobs[0].tests = [TestID("a")]
        let part = PlanPart(name: "cell=A", jobs: [job.job], tests: ["snap": job.tests])
        return (plan, part)
    }

    @Test("a part fits its pipeline's outline, and no outline that lacks what it ran")
    func fits() throws {
        let (plan, part) = try Self.plan()
        #expect(plan.fits(part))
        var bad = part
        bad.jobs[0].cells.removeFirst()
        #expect(!plan.fits(bad), "a cell that the pipeline does not have")
        bad = part
        bad.tests["snap"] = [TestID("b")]
        #expect(!plan.fits(bad), "a test that discovery did not find")
        bad = part
        bad.tests = [:]
        #expect(!plan.fits(bad), "a job that nobody discovered")
        bad = part
        bad.jobs.append(part.jobs[0])
        #expect(!plan.fits(bad), "a job twice")
    }

    @Test("the outline is no part of what a plan is")
    func digest() throws {
        let (plan, part) = try Self.plan()
        var carrying = plan
        carrying.part = part
        #expect(carrying.digest == plan.digest)
    }
}
