// Assigns the pictures of a lease to the test cases that made them. A verdict belongs with its
// pictures: a picture without an owner would be lost with its lease, or be believed although its
// test failed.
//
// Invariant: every picture is a test case's, or no test case that may have made it passes.
import FarmCore
import Foundation

/// Assigns the pictures of a lease to the test case that made them.
struct OwnedPictures {
    private var captures: [TestID: [CapturedFile]] = [:]
    private var differences: [TestID: [FrameworkDifference]] = [:]
    private var unread: [TestID: [FoundUnread]] = [:]
    /// The problems of sidecars that cannot be read.
    private let problems: [Problem]
    /// The files that no name assigns to a test.
    private var unowned = FoundPictures()
    /// The tests that made an unowned file when they ran alone, by the file's name.
    private var makers: [String: Set<TestID>] = [:]
    /// The tests that ran alone.
    private var asked: Set<TestID> = []
    /// The tests that may have made the pictures, with or without a result.
    private let tests: Set<TestID>

    /// Assigns the files `found` to some `tests`, by names and by the messages of failed tests.
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
                ?? (owners.usesMessages ? Self.speaker(of: difference, results) : nil)
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

    /// Whether a file without an owner that is not read may have been meant as a picture.
    private var hasUnownedUnread: Bool { unowned.unread.contains(where: \.file.isMeantAsPicture) }

    /// Returns the tests that must run alone to find the makers of unowned files, those without a
    /// picture of their own first.
    ///
    /// A passed test is no suspect for a framework's difference. A test that did not come to its
    /// end is left out: it may not make again what it made before.
    func suspects(_ results: [TestResult]) -> [TestID] {
        let ran = results.filter(\.ending.hasRun)
        let mayHavePassed = !unowned.captures.isEmpty
        func may(_ result: TestResult, _ passed: Bool) -> Bool { passed || !result.ending.isGood }
        // For files that are not read, only tests without a picture of their own matter.
        return ran.filter { !owns($0.test) && may($0, mayHavePassed || hasUnownedUnread) }.map(
            \.test
        )
            + ran.filter { owns($0.test) && may($0, mayHavePassed) }.map(\.test)
    }

    func owns(_ test: TestID) -> Bool {
        captures[test] != nil || differences[test] != nil || unread[test] != nil
    }

    /// Whether the maker of some unowned picture is unknown.
    var hasUnknownMaker: Bool {
        unowned.captures.contains { makers[Self.key($0.file.suite, $0.file.name)] == nil }
            || unowned.differences.contains { makers[Self.key($0.suite, $0.name)] == nil }
    }

    /// Notes the files that a test case made when it ran alone.
    mutating func note(_ made: FoundPictures, by test: TestID) {
        asked.insert(test)
        let keys =
            made.captures.map { Self.key($0.file.suite, $0.file.name) }
            + made.differences.map { Self.key($0.suite, $0.name) } + made.unread.map(\.file.path)
        for key in keys { makers[key, default: []].insert(test) }
    }

    /// Returns the paths of the captures and unread files that tests may make when they run again:
    /// those of tests without a result, and those that no name assigns to a test.
    ///
    /// Leaves out an unassigned file if a test made it when it ran alone: `given(to:blames:)`
    /// assigns the file to that test, or blames all such tests.
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

    /// Returns the results with their pictures.
    ///
    /// `blames` is false while tests without a result may still make the unowned pictures: then
    /// only tests are blamed that made a picture when they ran alone.
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

    /// Gives unowned pictures to the only tests that made them, and returns the other pictures.
    ///
    /// If it `isLast`, also gives a picture to the one bad test that may have made it.
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

    /// Gives unowned files that are not read to all tests that make them when they run alone.
    ///
    /// Returns the other files, for which no test is blamed.
    private mutating func settleUnread() -> [UnreadFile] {
        var strays: [UnreadFile] = []
        for file in unowned.unread {
            let makers = makers[file.file.path] ?? []
            for maker in makers { unread[maker, default: []].append(file) }
            if makers.isEmpty { strays.append(file.file) }
        }
        return strays
    }

    /// Returns the failed test whose message names the picture's file, or `nil`; the last, if two
    /// tests write it.
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

/// A picture that no single test case is known to have made.
private struct Doubt {
    let name: String
    /// The tests that may have made the picture.
    let makers: Set<TestID>
    /// Whether each of `makers` made the picture when it ran alone; `false` if no test did.
    let isSeen: Bool
}

/// The tests that may have made a picture that no test makes when it runs alone.
private struct Suspects {
    let good: Set<TestID>
    let ofCaptures: Set<TestID>
    let ofDifferences: Set<TestID>

    /// Finds the tests that may have made such a picture.
    ///
    /// Tests that were `cleared` by running alone are suspects only if all tests came to their end.
    /// Otherwise a test that did not is the likelier maker, and its pictures are never recorded.
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
    /// Runs test cases alone, one at a time, until the makers of the unowned pictures are known.
    ///
    /// `alone` runs one test and returns the files it makes, or `nil` if the shard's time is over.
    mutating func findMakers(
        among results: [TestResult],
        alone: (TestID, _ place: Int) async throws -> FoundPictures?
    ) async throws {
        guard !isComplete else { return }
        for (place, test) in suspects(results).enumerated() {
            // Tests with pictures of their own run alone only if the others did not make all files.
            if owns(test), !hasUnknownMaker { return }
            guard let made = try await alone(test, place) else { return }
            note(made, by: test)
        }
    }
}

extension TestResult {
    /// Adds to the result files that are not compared.
    ///
    /// Such files prove nothing: a test that passed and has no other pictures becomes errored.
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
    /// Whether the test came to its end and may have made a picture.
    fileprivate var hasRun: Bool {
        switch self {
        case .passed, .failed, .changed, .new: true
        case .skipped, .errored: false
        }
    }
}
