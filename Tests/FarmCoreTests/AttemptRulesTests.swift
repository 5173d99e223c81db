import FarmCore
import Foundation
import Testing

@Suite("What attempts amount to")
struct AttemptRulesTests {
    private let id = SnapshotID.unusable(cell: CellID("c"), key: Digest(of: Data()))
    private func job(retries: Int = 1, kind: JobKind = .snapshot, judge: Judge = .farm) -> Job {
        Job(
            name: JobName("j"),
            kind: kind,
            driver: DriverSettings("command", ["discover": "d", "run": "r"]),
            judge: judge,
            retries: retries
        )
    }
    private func attempt(
        _ ending: TestEnding,
        picture: String? = nil,
        matches: Bool? = nil,
        hasReference: Bool = true
    ) -> Attempt {
        var pictures = PictureReports()
        if let picture {
            let bytes = Data(picture.utf8)
            let difference = PixelDifference(
                reference: PixelSize(width: 1, height: 1),
                capture: PixelSize(width: 1, height: 1),
                differing: 1,
                counted: 1,
                largestDelta: 9,
                clusters: []
            )
            pictures.captures = [
                CaptureReport(
                    capture: Capture(
                        id: id,
                        test: nil,
                        digest: Digest(of: bytes),
                        objectID: ObjectID(ofBlob: bytes),
                        bytes: bytes.count
                    ),
                    reference: hasReference ? ObjectID(ofBlob: Data("ref".utf8)) : nil,
                    comparison: matches.map { $0 ? .identicalPixels : .different(difference) }
                )
            ]
        }
        return Attempt(
            worker: WorkerID("w"),
            outcome: .reported(
                TestReport(test: TestID("t"), ending: ending, seconds: 1, pictures: pictures)
            )
        )
    }
    private let lost = Attempt(worker: WorkerID("w"), outcome: .workerLost)

    @Test("a pass is a pass, and a pass after a failure is flaky")
    func flaky() {
        let failed = attempt(.failed("no"))
        let passed = attempt(.passed)
        #expect(
            AttemptRules.step(after: [passed], job: job(), mode: .verify)
                == .final(.passed, note: "")
        )
        #expect(
            AttemptRules.step(after: [failed], job: job(), mode: .verify) == .again(alone: false)
        )
        guard
            case .final(.flaky, _) = AttemptRules.step(
                after: [failed, passed],
                job: job(),
                mode: .verify
            )
        else {
            Issue.record("a pass after a failure must be flaky")
            return
        }
    }

    @Test("a pass after a failure that only its own tool saw is flaky, and says what failed")
    func earlierFailure() {
        var repeated = attempt(.passed)
        repeated.outcome = .reported(
            TestReport(
                test: TestID("t"),
                ending: .passed,
                seconds: 1,
                earlierFailure: "A.swift:9: once\nand more"
            )
        )
        let note = "failed, and passed when its own tool ran it again: A.swift:9: once"
        let flaky = AttemptStep.final(.flaky, note: note)
        #expect(AttemptRules.step(after: [repeated], job: job(), mode: .verify) == flaky)
        let twice = AttemptContext(repeats: 2)
        let passes = [attempt(.passed), repeated]
        #expect(
            AttemptRules.step(after: passes, job: job(), mode: .verify, context: twice) == flaky
        )
        #expect(AttemptNote(repeated).message == "failed first: A.swift:9: once\nand more")
        // A record run accepts its pictures: both takes must show them anyway.
        #expect(
            AttemptRules.step(after: [repeated], job: job(), mode: .record)
                == .final(.passed, note: "")
        )
    }

    @Test("the same wrong picture twice is a real change, however many retries are left")
    func realChange() {
        let wrong = attempt(.passed, picture: "x", matches: false)
        let step = AttemptRules.step(after: [wrong, wrong], job: job(retries: 2), mode: .verify)
        #expect(step == .final(.changed, note: ""))
    }

    @Test("other wrong pictures each time stay changed, and are called unstable")
    func unstable() {
        let first = attempt(.passed, picture: "x", matches: false)
        let second = attempt(.passed, picture: "y", matches: false)
        let step = AttemptRules.step(after: [first, second], job: job(), mode: .verify)
        guard case .final(.changed, let note) = step else {
            Issue.record("\(step)")
            return
        }
        #expect(note.contains("unstable"))
    }

    @Test("a retry never turns \"no reference\" into a pass")
    func newStaysNew() {
        let new = attempt(.passed, picture: "x", hasReference: false)
        #expect(
            AttemptRules.step(after: [new], job: job(), mode: .verify) == .final(.new, note: "")
        )
    }

    @Test("a picture without a reference is seen also where other repetitions passed")
    func newInRepetitions() {
        let new = attempt(.passed, picture: "x", hasReference: false)
        let step = AttemptRules.step(
            after: [attempt(.passed), new],
            job: job(),
            mode: .verify,
            context: AttemptContext(repeats: 2)
        )
        guard case .final(.new, _) = step else {
            Issue.record("\(step)")
            return
        }
    }

    @Test("a lost worker counts for the test that ran, three times at most, the last time alone")
    func lostWorkers() {
        #expect(
            AttemptRules.step(after: [lost], job: job(retries: 0), mode: .verify)
                == .again(alone: false)
        )
        #expect(
            AttemptRules.step(after: [lost, lost], job: job(retries: 0), mode: .verify)
                == .again(alone: true)
        )
        guard
            case .final(.errored, _) = AttemptRules.step(
                after: [lost, lost, lost],
                job: job(),
                mode: .verify
            )
        else {
            Issue.record("three lost workers end it")
            return
        }
    }

    @Test("a test with a new picture runs as often as `repeat-new` says, and a failure as before")
    func repeatNew() {
        let new = attempt(.passed, picture: "x", hasReference: false)
        let failed = attempt(.failed("wrong"))
        let final = AttemptStep.final(.new, note: "")
        var job = job()
        #expect(AttemptRules.step(after: [new], job: job, mode: .verify) == final)
        job.repeatNew = 2
        #expect(AttemptRules.step(after: [new], job: job, mode: .verify) == .confirm)
        #expect(AttemptRules.step(after: [new, new], job: job, mode: .verify) == final)
        job.repeatNew = 3
        #expect(AttemptRules.step(after: [new, new], job: job, mode: .verify) == .confirm)
        #expect(AttemptRules.step(after: [lost, new, new], job: job, mode: .verify) == final)
        #expect(
            AttemptRules.step(after: [new, failed], job: job, mode: .verify)
                == .final(.failed, note: "")
        )
        #expect(
            AttemptRules.step(
                after: [attempt(.passed, picture: "ref", matches: true)],
                job: job,
                mode: .verify
            ) == .final(.passed, note: "")
        )
    }

    @Test("record takes a new picture twice and an unchanged one once")
    func record() {
        let new = attempt(.passed, picture: "x", hasReference: false)
        #expect(AttemptRules.step(after: [new], job: job(), mode: .record) == .confirm)
        #expect(
            AttemptRules.step(after: [new, new], job: job(), mode: .record)
                == .final(.passed, note: "")
        )
        let same = attempt(.passed, picture: "ref", matches: true)
        #expect(
            AttemptRules.step(after: [same], job: job(), mode: .record) == .final(.passed, note: "")
        )
    }
}
