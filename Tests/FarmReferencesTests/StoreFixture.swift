// Real stores in temporary folders, judged by the system's own git.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

/// A new store and the bytes of the pictures that tests record into it.
///
/// When the test is over, Git must find nothing wrong in the store.
final class StoreFixture {
    let folder: TemporaryFolder
    let store: ReferenceStore
    private(set) var bytes: [ObjectID: Data] = [:]
    /// Pictures the store asked for, in order.
    private(set) var asked: [ObjectID] = []
    /// The test breaks the store, and leaves it so.
    var staysBroken = false

    init() throws {
        folder = try TemporaryFolder("store")
        store = try ReferenceStore.create(at: folder.file("store.git"))
    }

    deinit {
        guard !staysBroken, FileManager.default.fileExists(atPath: store.path) else { return }
        let found = Result { try faults() }
        if case .success([]) = found { return }
        Issue.record("the test leaves a store in which Git finds: \(found)")
    }

    /// A picture whose bytes follow from its text.
    func picture(_ text: String) -> RecordedPicture { picture(Data("PNG \(text)".utf8)) }

    func picture(_ data: Data) -> RecordedPicture {
        let picture = RecordedPicture(digest: Digest(of: data), objectID: ObjectID(ofBlob: data))
        bytes[picture.objectID] = data
        return picture
    }

    /// A recording of pictures by `<suite>/<name>` with the text of their bytes.
    func recording(
        _ cell: String,
        complete: Bool = true,
        _ pictures: [String: String],
        suites: [String: SuiteRecord] = [:]
    ) throws -> CellRecording {
        var recorded: [SnapshotID: RecordedPicture] = [:]
        for (path, text) in pictures { recorded[try id(cell, path)] = picture(text) }
        return CellRecording(
            cell: CellID(cell),
            replacesCell: complete,
            pictures: recorded,
            suites: suites
        )
    }

    func record(
        _ recordings: [CellRecording],
        over base: ReferencePin = ReferencePin()
    ) throws -> RecordedSet {
        try store.record(base: base, recordings: recordings) { picture in
            asked.append(picture.objectID)
            guard let data = bytes[picture.objectID] else { throw Missing() }
            return data
        }
    }

    /// Standard output of `git -C <store> …`.
    @discardableResult
    func git(_ arguments: String...) throws -> String {
        try run("git", ["-C", store.path] + arguments).output
    }

    /// What `git fsck --full` finds besides objects that nothing refers to.
    func faults() throws -> [String] { try storeFaults(store.path) }

    struct Missing: Error {}
}

/// The id of `<suite>/<name>` on a cell.
func id(_ cell: String, _ path: String) throws -> SnapshotID {
    let parts = path.split(separator: "/").map(String.init)
    return try SnapshotID(
        cell: CellID(cell),
        suite: parts.dropLast().joined(separator: "/"),
        name: parts.last ?? ""
    )
}

func run(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = [:]
) throws -> ProcessEnding {
    try TestProcess.run([program] + arguments, environment: gitEnvironment(environment))
}

/// What this process sees, without the settings of the person who runs the tests.
func gitEnvironment(_ extra: [String: String] = [:]) -> [String: String] {
    ProcessInfo.processInfo.environment
        .merging(["LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null"]) { _, new in new }
        .merging(extra) { _, new in new }
}
