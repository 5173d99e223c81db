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
    private var unread: [TestID: [FoundUnread]] = [:]
    /// Sidecars that cannot be read.
    private let problems: [Problem]
    /// What no name gives an owner.
    private var unowned = FoundPictures()
    /// Who made such a picture when it ran alone.
    private var makers: [String: Set<TestID>] = [:]
    /// Who ran alone.
    private var asked: Set<TestID> = []
    /// Who may have made the pictures, with a result or without.
    private let tests: Set<TestID>

    /// Sorts what was `found` of some `tests` by names and by what failed tests say.
    init(
        _ found: FoundPictures,
        of results: [TestResult],
        among tests: [TestID],
        _ owners: PictureOwners
    ) {
        self.tests = Set(tests)
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
                ?? (owners.asksMessages ? Self.speaker(of: difference, results) : nil)
            if let owner {
                differences[owner, default: []].append(difference)
            } else {
                unowned.differences.append(difference)
            }
        }
        for file in found.unread {
            if let owner = owners.owner(suite: file.suite, name: file.name) {
                unread[owner, default: []].append(file)
            } else {
                unowned.unread.append(file)
            }
        }
    }

    var isComplete: Bool {
        unowned.captures.isEmpty && unowned.differences.isEmpty && !hasUnownedUnread
    }

    /// Whether a file that a test may have taken for its picture has no owner.
    private var hasUnownedUnread: Bool { unowned.unread.contains(where: \.file.isMeantAsPicture) }

    /// Who is asked, by running alone, whether it made what nobody owns: those without a picture of
    /// their own first.
    ///
    /// A difference is a failed test's. A test that did not come to its end is not asked: what it did
    /// not make this time it may have made before.
    func suspects(_ results: [TestResult]) -> [TestID] {
        let ran = results.filter(\.ending.hasRun)
        let mayHavePassed = !unowned.captures.isEmpty
        func may(_ result: TestResult, _ passed: Bool) -> Bool { passed || !result.ending.isGood }
        // Of files that are not read only tests matter that have no picture of their own.
        return ran.filter { !owns($0.test) && may($0, mayHavePassed || hasUnownedUnread) }.map(
            \.test
        )
            + ran.filter { owns($0.test) && may($0, mayHavePassed) }.map(\.test)
    }

    func owns(_ test: TestID) -> Bool {
        captures[test] != nil || differences[test] != nil || unread[test] != nil
    }

    /// Whether nobody is known who made some picture.
    var hasUnknownMaker: Bool {
        unowned.captures.contains { makers[Self.key($0.file.suite, $0.file.name)] == nil }
            || unowned.differences.contains { makers[Self.key($0.suite, $0.name)] == nil }
    }

    /// Notes what a test case makes when it runs alone.
    mutating func note(_ made: FoundPictures, by test: TestID) {
        asked.insert(test)
        let keys =
            made.captures.map { Self.key($0.file.suite, $0.file.name) }
            + made.differences.map { Self.key($0.suite, $0.name) } + made.unread.map(\.file.path)
        for key in keys { makers[key, default: []].insert(test) }
    }

    /// Files of tests without a result, and of nobody: who runs again may make them again.
    ///
    /// Where it is known who makes one, it was given to a result, or its makers were blamed.
    func left(by results: [TestResult]) -> [String] {
        let tests = Set(results.map(\.test))
        let unfinished = captures.filter { !tests.contains($0.key) }.flatMap(\.value).map(\.path)
        let unread =
            unread.filter { !tests.contains($0.key) }.flatMap(\.value)
            + unowned.unread.filter { makers[$0.file.path] == nil }
        let unknown = unowned.captures.map(\.file).filter {
            makers[Self.key($0.suite, $0.name)] == nil
        }.map(\.path)
        return unfinished + unread.map(\.path) + unknown
    }

    /// The results with their pictures.
    ///
    /// Where tests without a result may still make what nobody owns, nobody is to be blamed yet:
    /// `blames` is false.
    func given(to results: [TestResult], blames: Bool = true) -> [TestResult] {
        var own = self
        let doubts = own.settle(results, isLast: blames).filter { blames || $0.isSeen }
        let strays = own.settleUnread()
        return results.enumerated().map { place, result in
            var result = result
            result.captures += own.captures[result.test] ?? []
            result.differences += own.differences[result.test] ?? []
            result.take(own.unread[result.test]?.map(\.file) ?? [])
            if place == 0 { result.unread += strays }
            guard result.ending.isGood else { return result }
            let blamed = doubts.filter { $0.makers.contains(result.test) }
            if let problem = problems.first {
                result.ending = .errored(problem)
            } else if !blamed.isEmpty {
                result.ending = .errored(.picturesWithoutOwner(blamed.map(\.name)))
            }
            return result
        }
    }

    /// Gives pictures to those who alone make them, and where it `isLast` to the one bad test that
    /// may have made them; returns the others.
    private mutating func settle(_ results: [TestResult], isLast: Bool) -> [Doubt] {
        let suspects = Suspects(results, of: tests, cleared: asked)
        let makers = makers
        func doubt(about name: String, _ suspects: Set<TestID>) -> Doubt {
            let seen = makers[name] ?? []
            return Doubt(name: name, makers: seen.isEmpty ? suspects : seen, isSeen: !seen.isEmpty)
        }
        func maker(_ doubt: Doubt) -> TestID? {
            guard doubt.makers.count == 1, let only = doubt.makers.first else { return nil }
            return doubt.isSeen || (isLast && !suspects.good.contains(only)) ? only : nil
        }
        var doubts: [Doubt] = []
        for capture in unowned.captures {
            let name = Self.key(capture.file.suite, capture.file.name)
            let found = doubt(about: name, suspects.ofCaptures)
            if let owner = maker(found) {
                captures[owner, default: []].append(capture.file)
            } else {
                doubts.append(found)
            }
        }
        for difference in unowned.differences {
            let name = Self.key(difference.suite, difference.name)
            let found = doubt(about: name, suspects.ofDifferences)
            if let owner = maker(found) {
                differences[owner, default: []].append(difference)
            } else {
                doubts.append(found)
            }
        }
        return doubts
    }

    /// Gives files that are not read to those who make them alone; returns the others, which no test is
    /// blamed for.
    private mutating func settleUnread() -> [UnreadFile] {
        var strays: [UnreadFile] = []
        for file in unowned.unread {
            let makers = makers[file.file.path] ?? []
            for maker in makers { unread[maker, default: []].append(file) }
            if makers.isEmpty { strays.append(file.file) }
        }
        return strays
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

/// A picture that is not known to be one test case's.
private struct Doubt {
    let name: String
    /// Who may have made it.
    let makers: Set<TestID>
    /// They were seen to make it; else nobody makes it alone.
    let isSeen: Bool
}

/// Who may have made what nobody makes alone.
private struct Suspects {
    let good: Set<TestID>
    let ofCaptures: Set<TestID>
    let ofDifferences: Set<TestID>

    /// Those that were `cleared` by running alone are suspects only where all came to their end: a
    /// test that did not is the likelier maker, and its pictures are never recorded.
    init(_ results: [TestResult], of tests: Set<TestID>, cleared: Set<TestID>) {
        let ran = Set(results.filter(\.ending.hasRun).map(\.test))
        let ended = ran.union(results.filter(\.ending.isGood).map(\.test))
        let unended = tests.subtracting(ended)
        good = Set(results.filter(\.ending.isGood).map(\.test))
        ofCaptures = unended.isEmpty ? ran : unended.union(ran.subtracting(cleared))
        let bad = unended.union(ran.subtracting(good))
        ofDifferences = bad.isEmpty ? ran : bad
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

extension TestResult {
    /// Takes files that are compared with nothing: a test that passed and has no other pictures proves
    /// nothing.
    mutating func take(_ files: [UnreadFile]) {
        unread += files
        let pictures = files.filter(\.isMeantAsPicture)
        guard ending == .passed, captures.isEmpty, differences.isEmpty, !pictures.isEmpty else {
            return
        }
        ending = .errored(.picturesNotRead(pictures))
    }
}

extension TestEnding {
    /// The test came to its end and did something that may have made a picture.
    fileprivate var hasRun: Bool {
        switch self {
        case .passed, .failed, .changed, .new: true
        case .skipped, .errored: false
        }
    }
}
