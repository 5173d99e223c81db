// One process of a test program: the events it sent, and the results that were reported.
//
// The result of the test that ended last is held back until the next event: if the process dies or
// complains right after a test, no other test can be blamed. The results of a snapshot job are held
// until the process has ended, because only then can the pictures in SNAPFARM_CAPTURE_DIR be
// assigned.
import FarmCore

actor ProgramSession {
    private let leased: Set<TestID>
    private let holdsAll: Bool
    private let framework: FrameworkProfile?
    private let report: @Sendable (DriverEvent) async throws -> Void

    private(set) var running: [TestID: ContinuousClock.Instant] = [:]
    private(set) var finished: Set<TestID> = []
    private var held: [TestResult] = []
    private var captures: [TestID: [CapturedFile]] = [:]
    private var suiteFailures: [String: String] = [:]
    private var homelessFailures: [String] = []
    private var hasFailure = false
    private var lastWords = ""

    init(
        tests: [TestID],
        holdsAll: Bool,
        framework: FrameworkProfile? = nil,
        report: @escaping @Sendable (DriverEvent) async throws -> Void
    ) {
        self.leased = Set(tests)
        self.holdsAll = holdsAll
        self.framework = framework
        self.report = report
    }

    /// Returns the running tests that have run longer than `limitSeconds`.
    func overdue(limitSeconds: Double) -> [TestID] {
        let now = ContinuousClock.now
        return running.filter { $0.value.duration(to: now).seconds > limitSeconds }.keys.sorted()
    }

    func take(_ events: [ProgramEvent]) async throws {
        for event in events { try await take(event) }
    }

    private func take(_ event: ProgramEvent) async throws {
        switch event {
        case .started(let test):
            guard leased.contains(test), !finished.contains(test), running[test] == nil else {
                return
            }
            running[test] = .now
            try await report(.started(test))
        case .ended(let test, let ending, let seconds, let output, let failures):
            try await end(
                TestResult(
                    test: test,
                    ending: ending,
                    seconds: seconds,
                    captures: captures[test] ?? [],
                    failures: failures,
                    output: output
                )
            )
        case .captured(let test, let file): captures[test, default: []].append(file)
        case .suiteFailed(let suite, let text): suiteFailures[suite] = text
        case .failureOutsideTests(let text): homelessFailures.append(text)
        }
    }

    private func end(_ result: TestResult) async throws {
        let test = result.test
        guard leased.contains(test) else { return }
        running[test] = nil
        if !result.ending.isGood { hasFailure = true }
        if let index = held.firstIndex(where: { $0.test == test }) {
            held[index].ending = held[index].ending.worse(than: result.ending)
            held[index].failures += result.failures
            return
        }
        guard finished.insert(test).inserted else { return }
        if !holdsAll { try await flush() }
        held.append(result)
    }

    private func flush() async throws {
        let results = held
        held = []
        for result in results { try await report(.finished(result)) }
    }

    // MARK: the end of the process

    /// Notes that the process has ended.
    ///
    /// `lastWords`, under `FarmLimits.resultOutputBytesMax`, become the output of blamed tests.
    func ended(lastWords: String) { self.lastWords = lastWords }

    /// Ends a running test as errored, because its process cannot report the end.
    func blame(_ test: TestID, _ problem: Problem) {
        running[test] = nil
        guard finished.insert(test).inserted else { return }
        hasFailure = true
        held.append(
            TestResult(
                test: test,
                ending: .errored(problem),
                seconds: 0,
                captures: captures[test] ?? [],
                output: lastWords
            )
        )
    }

    /// Gives the test that ended last another ending, for what came after it, unless it is bad
    /// already.
    func blameLast(_ ending: TestEnding) {
        guard let index = held.indices.last, held[index].ending.isGood else { return }
        held[index].ending = ending
        if case .errored = ending { held[index].output = lastWords }
        hasFailure = true
    }

    /// Fails the tests of suites that failed; if nothing failed, blames the last test for an exit
    /// status that is not 0.
    ///
    /// The process had no test running.
    func explain(status: Int32) {
        for test in leased.subtracting(finished).sorted() {
            let suite = SwiftTestName(test).suite + "/"
            guard let text = suiteFailures.first(where: { suite.hasPrefix($0.key + "/") })?.value
            else { continue }
            finished.insert(test)
            hasFailure = true
            held.append(TestResult(test: test, ending: .failed(text), seconds: 0))
        }
        guard status != 0, !hasFailure else { return }
        if homelessFailures.isEmpty {
            blameLast(.errored(.exitUnexplained(status: status)))
        } else {
            let texts = homelessFailures.joined(separator: "\n")
            blameLast(.failed("a failure outside of any test:\n" + texts))
        }
    }

    /// Gives the pictures that were `found` after the process had ended to the held results, and
    /// reports these.
    ///
    /// `alone` runs one test case by itself and returns the pictures it makes. `runsAgain` is
    /// whether another process runs the tests without a result, which may still make the unowned
    /// pictures.
    ///
    /// - Returns: the absolute paths of the files that those tests may make again.
    func close(
        _ found: FoundPictures,
        runsAgain: Bool,
        alone: @Sendable (TestID, _ place: Int) async throws -> FoundPictures?
    ) async throws -> [String] {
        let results = held
        let tests = leased.sorted()
        let owners = PictureOwners(tests, framework: framework)
        var owned = OwnedPictures(found, of: results, among: tests, owners)
        try await owned.findMakers(among: results, alone: alone)
        let someFollow = runsAgain && !leased.isSubset(of: finished)
        held = owned.given(to: results, blames: !someFollow)
        try await flush()
        return someFollow ? owned.left(by: results) : []
    }
}
