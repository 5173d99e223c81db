// Real stores in temporary folders, judged by the system's own git.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

/// A new store, and the bytes of the pictures that tests record into it.
///
/// At the end of the test, Git must find no fault in the store.
package final class StoreFixture {
    package let folder: TemporaryFolder
    package let store: ReferenceStore
    package private(set) var bytes: [ObjectID: Data] = [:]
    /// The pictures that the store asked for, in order.
    package private(set) var asked: [ObjectID] = []
    /// Whether the test breaks the store and leaves it broken.
    package var staysBroken = false

    package init() throws {
        folder = try TemporaryFolder("store")
        store = try ReferenceStore.create(at: folder.file("store.git"))
    }

    deinit {
        guard !staysBroken, FileManager.default.fileExists(atPath: store.path) else { return }
        let found = Result { try faults() }
        if case .success([]) = found { return }
        Issue.record("the test leaves a store in which Git finds: \(found)")
    }

    /// Returns a picture whose bytes follow from its text.
    package func picture(_ text: String) -> RecordedPicture { picture(Data("PNG \(text)".utf8)) }

    package func picture(_ data: Data) -> RecordedPicture {
        let picture = RecordedPicture(digest: Digest(of: data), objectID: ObjectID(ofBlob: data))
        bytes[picture.objectID] = data
        return picture
    }

    /// Returns a recording of pictures by `<suite>/<name>`, with the text of their bytes.
    package func recording(
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

    package func record(
        _ recordings: [CellRecording],
        over base: ReferencePin = ReferencePin()
    ) throws -> RecordedSet {
        try store.record(base: base, recordings: recordings) { picture in
            asked.append(picture.objectID)
            guard let data = bytes[picture.objectID] else { throw Missing() }
            return data
        }
    }

    /// Runs `git -C <store> …` and returns its standard output.
    @discardableResult
    package func git(_ arguments: String...) throws -> String {
        try run("git", ["-C", store.path] + arguments).output
    }

    /// Returns the findings of `git fsck --full`, except unreferenced objects.
    package func faults() throws -> [String] { try storeFaults(store.path) }

    package struct Missing: Error {
        package init() {}
    }
}

package func object(_ text: String) -> ObjectID { ObjectID(ofBlob: Array("PNG \(text)".utf8)) }

package func record(_ renderer: [String: String], tests: [String: String] = [:]) -> SuiteRecord {
    SuiteRecord(job: JobName("job"), renderer: renderer, tests: tests.mapValues { TestID($0) })
}

/// Returns the id of `<suite>/<name>` on a cell.
package func id(_ cell: String, _ path: String) throws -> SnapshotID {
    let parts = path.split(separator: "/").map(String.init)
    return try SnapshotID(
        cell: CellID(cell),
        suite: parts.dropLast().joined(separator: "/"),
        name: parts.last ?? ""
    )
}

package func run(
    _ program: String,
    _ arguments: [String],
    environment: [String: String] = [:]
) throws -> ProcessEnding {
    try TestProcess.run([program] + arguments, environment: gitEnvironment(environment))
}

/// Returns this process's environment, without the user's Git settings.
package func gitEnvironment(_ extra: [String: String] = [:]) -> [String: String] {
    ProcessInfo.processInfo.environment
        .merging(["LC_ALL": "C", "GIT_CONFIG_GLOBAL": "/dev/null"]) { _, new in new }
        .merging(extra) { _, new in new }
}

/// Returns the findings of `git fsck --full` in a repository, except unreferenced objects.
package func storeFaults(_ path: String) throws -> [String] {
    let result = try run("git", ["-C", path, "fsck", "--full", "--strict"])
    var lines = (result.output + result.errors).split(separator: "\n").map(String.init)
    lines.removeAll {
        ["dangling", "Checking", "notice"].contains(where: $0.hasPrefix) || $0.contains("%")
    }
    return lines + (result.status == 0 ? [] : ["status \(result.status)"])
}
