// A store, and a main repository whose branches pin its sets.
import FarmCore
import FarmTesting
import Foundation
import ReferenceTesting

@testable import FarmReferences

final class PruneFixture {
    let fixture: StoreFixture
    let folder: TemporaryFolder
    /// The time at which all tests prune.
    let now = Date(timeIntervalSince1970: 1_700_000_000)
    var store: ReferenceStore { fixture.store }
    var main: String { folder.file("main") }

    init() throws {
        fixture = try StoreFixture()
        folder = try TemporaryFolder("main")
        try shell("git", "init", "--quiet", "--initial-branch=main", main)
        try git("config", "user.name", "t")
        try git("config", "user.email", "t@t")
        try git("commit", "--quiet", "--allow-empty", "-m", "start")
    }

    // MARK: the store

    /// Records pictures of a cell, by default `a`, with a journal entry so many days ago.
    @discardableResult
    func record(
        _ pictures: [String: String],
        daysAgo: Double = 100,
        cell: String = "a",
        over base: ReferencePin = ReferencePin()
    ) throws -> RecordedSet {
        let made = try fixture.record([try fixture.recording(cell, pictures)], over: base)
        try store.appendJournal(
            set: made.set,
            pin: made.pin,
            title: "\(pictures.count) new",
            now: now.addingTimeInterval(-daysAgo * 86_400)
        )
        return made
    }

    /// Returns pictures `S/0` and so on whose bytes contain the text.
    func pictures(_ text: String, count: Int = 3) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("S/\($0)", "\(text) \($0)") })
    }

    // MARK: the main repository

    /// Commits a pin on a branch, which is created if it is missing.
    func commit(
        _ pin: ReferencePin,
        on branch: String = "main",
        daysAgo: Double = 0,
        path: String = "snapfarm.refs"
    ) throws {
        if try git("branch", "--list", branch).isEmpty { try git("branch", branch) }
        try git("checkout", "--quiet", branch)
        try folder.write("main/" + path, pin.text)
        try git("add", "--all")
        let time = Int(now.timeIntervalSince1970 - daysAgo * 86_400)
        let date = "@\(time) +0000"
        _ = try shell(
            "git",
            "-C",
            main,
            "commit",
            "--quiet",
            "-m",
            "pin",
            environment: ["GIT_COMMITTER_DATE": date, "GIT_AUTHOR_DATE": date]
        )
    }

    @discardableResult
    func git(_ arguments: String...) throws -> String {
        try shell(["git", "-C", main] + arguments)
    }

    @discardableResult
    func shell(_ words: String..., environment: [String: String] = [:]) throws -> String {
        try shell(words, environment: environment)
    }

    private func shell(_ words: [String], environment: [String: String] = [:]) throws -> String {
        let result = try run(words[0], Array(words.dropFirst()), environment: environment)
        guard result.status == 0 else { throw Failed(words: words, errors: result.errors) }
        return result.output
    }

    struct Failed: Error {
        var words: [String]
        var errors: String
    }

    // MARK: pruning

    func pins(_ policy: PrunePolicy = PrunePolicy(), named: [String] = []) throws -> PinRoots {
        try PinRoots(
            reading: PinRootsRequest(
                repository: main,
                references: named,
                policy: policy,
                now: now
            )
        )
    }

    /// Drops at once everything that no branch, tag or pull request needs.
    static let strict = PrunePolicy(recentDays: 0, newestCount: 0, youngDays: 0, graceDays: 0)

    func plan(_ policy: PrunePolicy = strict, now: Date? = nil) throws -> PrunePlan {
        try store.prunePlan(pins: try pins(policy), policy: policy, now: now ?? self.now)
    }

    @discardableResult
    func prune(
        _ policy: PrunePolicy = strict,
        now: Date? = nil,
        conditions: PruneConditions = PruneConditions(lockSeconds: 0)
    ) throws -> PruneReport {
        try store.prune(
            try plan(policy, now: now),
            pins: { try self.pins(policy) },
            conditions: conditions
        )
    }

    /// Returns all names and ids of references below `refs/snapfarm/sets`.
    func sets() throws -> Set<String> {
        let listing = try fixture.git(
            "for-each-ref",
            "--format=%(objectname)",
            "refs/snapfarm/sets"
        )
        return Set(listing.split(separator: "\n").map(String.init))
    }

    /// Returns whether every picture of a set can be read, by Git as well.
    func isWhole(_ made: RecordedSet) throws -> Bool {
        let store = try ReferenceStore(opening: fixture.store.path)
        for cell in made.pin.cells {
            for reference in try store.references(made.pin, cell: cell) {
                guard try store.read(reference.objectID) == fixture.bytes[reference.objectID]
                else { return false }
            }
        }
        let listed = try run(
            "git",
            ["-C", store.path, "rev-list", "--objects", "--quiet", made.set.hex]
        )
        return listed.status == 0
    }

    /// Returns the files below `objects/pack`.
    func packFiles() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: store.path + "/objects/pack").sorted()
    }

    func looseCount() throws -> Int {
        let lines = try fixture.git("count-objects", "-v").split(separator: "\n")
        return lines.first.flatMap { Int($0.dropFirst(7)) } ?? -1
    }
}
