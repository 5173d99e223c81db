// The pictures of a lease and the test cases they belong to. A verdict and its pictures are one: a
// picture that nobody owns would be lost with its lease, or be believed although its test failed.
//
// Invariant: every picture is a test case's, or no test case that may have made it passes.
import FarmCore
import Foundation

/// Sorts the pictures of a lease by the test case that made them.
struct OwnedPictures {
    private var captures: [TestID: [CapturedFile]] = [:]
    private var differences: [TestID: [FrameworkDifference]] = [:]
    /// Sidecars that cannot be read.
    private let problems: [Problem]
    /// What no name gives an owner.
    private var unowned = FoundPictures()
    /// Who made such a picture when it ran alone.
    private var makers: [String: Set<TestID>] = [:]

    /// Sorts what was `found` by names and by what failed tests say.
    init(_ found: FoundPictures, of results: [TestResult], _ owners: PictureOwners) {
        problems = found.problems
        for capture in found.captures {
            let named = capture.test.flatMap { owners.knows($0) ? $0 : nil }
            let file = capture.file
            if let owner = named ?? owners.owner(suite: file.suite, name: file.name) {
                captures[owner, default: []].append(file)
            } else {
                unowned.captures.append(capture)
            }
        }
        for difference in found.differences {
            let owner =
                owners.owner(suite: difference.suite, name: difference.name)
                ?? Self.speaker(of: difference, results)
            if let owner {
                differences[owner, default: []].append(difference)
            } else {
                unowned.differences.append(difference)
            }
        }
    }

    var isComplete: Bool { unowned.captures.isEmpty && unowned.differences.isEmpty }

    /// Who may have made what nobody owns, those without a picture of their own first.
    ///
    /// A difference is a failed test's.
    func suspects(_ results: [TestResult]) -> [TestID] {
        let mayHavePassed = !unowned.captures.isEmpty
        let tests = results.filter { $0.ending.hasRun && (mayHavePassed || !$0.ending.isGood) }
            .map(\.test)
        return tests.filter { !owns($0) } + tests.filter { owns($0) }
    }

    func owns(_ test: TestID) -> Bool { captures[test] != nil || differences[test] != nil }

    /// Whether nobody is known who made some picture.
    var hasUnknownMaker: Bool {
        unowned.captures.contains { makers[Self.key($0.file.suite, $0.file.name)] == nil }
            || unowned.differences.contains { makers[Self.key($0.suite, $0.name)] == nil }
    }

    /// Notes what a test case makes when it runs alone.
    mutating func note(_ made: FoundPictures, by test: TestID) {
        let keys =
            made.captures.map { Self.key($0.file.suite, $0.file.name) }
            + made.differences.map { Self.key($0.suite, $0.name) }
        for key in keys { makers[key, default: []].insert(test) }
    }

    /// Files of tests without a result, and of nobody: who runs again may make them again.
    func left(by results: [TestResult]) -> [CapturedFile] {
        let tests = Set(results.map(\.test))
        let unfinished = captures.filter { !tests.contains($0.key) }.flatMap(\.value)
        return unfinished + unowned.captures.map(\.file)
    }

    /// The results with their pictures.
    ///
    /// Where tests without a result may still make what nobody owns, nobody is to be blamed yet:
    /// `blames` is false.
    func given(to results: [TestResult], blames: Bool = true) -> [TestResult] {
        var own = self
        let settled = own.settle()
        let doubtful = blames ? settled : settled.filter { !$0.makers.isEmpty }
        return results.map { result in
            var result = result
            result.captures += own.captures[result.test] ?? []
            result.differences += own.differences[result.test] ?? []
            guard result.ending.isGood else { return result }
            let blamed = doubtful.filter { $0.makers.isEmpty || $0.makers.contains(result.test) }
            if let problem = problems.first {
                result.ending = .errored(problem)
            } else if !blamed.isEmpty, result.ending.hasRun {
                result.ending = .errored(.picturesWithoutOwner(blamed.map(\.name)))
            }
            return result
        }
    }

    /// Gives pictures to those who alone made them; returns the others.
    private mutating func settle() -> [(name: String, makers: Set<TestID>)] {
        var doubtful: [(name: String, makers: Set<TestID>)] = []
        for capture in unowned.captures {
            let name = Self.key(capture.file.suite, capture.file.name)
            let makers = makers[name] ?? []
            if let owner = makers.first, makers.count == 1 {
                captures[owner, default: []].append(capture.file)
            } else {
                doubtful.append((name, makers))
            }
        }
        for difference in unowned.differences {
            let name = Self.key(difference.suite, difference.name)
            let makers = makers[name] ?? []
            if let owner = makers.first, makers.count == 1 {
                differences[owner, default: []].append(difference)
            } else {
                doubtful.append((name, makers))
            }
        }
        return doubtful
    }

    /// The failed test whose words name the picture's file: the last, where two tests write one file.
    private static func speaker(
        of difference: FrameworkDifference,
        _ results: [TestResult]
    ) -> TestID? {
        guard let path = difference.failed ?? difference.diff else { return nil }
        let file = "/" + splitPath(path).name
        let folder = splitPath(splitPath(path).folder).name
        return results.last {
            guard case .failed(let text) = $0.ending else { return false }
            return text.contains(folder + file)
        }?.test
    }

    private static func key(_ suite: String, _ name: String) -> String {
        suite.isEmpty ? name : "\(suite)/\(name)"
    }
}

extension OwnedPictures {
    /// Runs test cases one at a time until it is known who makes the pictures that nobody owns.
    ///
    /// `alone` runs one and returns what it makes; nil where the shard's time is over.
    mutating func findMakers(
        among results: [TestResult],
        alone: (TestID, _ place: Int) async throws -> FoundPictures?
    ) async throws {
        guard !isComplete else { return }
        for (place, test) in suspects(results).enumerated() {
            // Whoever has pictures of its own is asked only where the others made not all.
            if owns(test), !hasUnknownMaker { return }
            guard let made = try await alone(test, place) else { return }
            note(made, by: test)
        }
    }
}

extension TestEnding {
    /// The test did something that may have made a picture.
    fileprivate var hasRun: Bool {
        switch self {
        case .passed, .failed: true
        case .skipped, .errored: false
        }
    }
}
