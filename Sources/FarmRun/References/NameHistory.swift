// The proofs of `refs prune --unused`: the pictures that complete, unfiltered runs made. They are
// read from the summaries of runs, or from a file with only their names.
import FarmCore
import Foundation

/// The names of pictures that runs made.
package struct NameHistory {
    package let manifests: [NameManifest]

    /// The size limit of one file with names, in bytes.
    private static let bytesMax = 256 << 20
    /// The most files that are read in one folder.
    private static let filesMax = 1_000

    /// A file that holds names: `{"schemaVersion": 1, "manifests": [{"runKey", "finished",
    /// "complete", "unfiltered", "names": {"<cell>": ["<suite>/<name>"]}}]}`.
    private struct NamesFile: Decodable {
        struct Entry: Decodable {
            var runKey: String
            var finished: Date
            var complete: Bool
            var unfiltered: Bool
            var names: [String: Set<String>]
        }
        var manifests: [Entry]
    }

    /// Reads the names from a file, or from every `summary.json` in a folder and its subfolders.
    package init(reading path: String) throws {
        manifests = try Self.files(at: path).flatMap(Self.read)
    }

    /// Returns the path itself if it is a file; of a folder, every `summary.json` in it and its
    /// subfolders.
    static func files(at path: String) throws -> [String] {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
            throw RefsError.history(path, reason: "there is nothing")
        }
        guard isFolder.boolValue else { return [path] }
        var files: [String] = []
        let found = FileManager.default.enumerator(atPath: path)
        while let name = found?.nextObject() as? String {
            guard name == "summary.json" || name.hasSuffix("/summary.json") else { continue }
            files.append(name)
            guard files.count <= Self.filesMax else {
                throw RefsError.history(path, reason: "more than \(Self.filesMax) summaries")
            }
        }
        return files.sorted().map { "\(path)/\($0)" }
    }

    /// Returns the bytes of one file of a history.
    static func bytes(of path: String) throws -> Data {
        guard let file = FileHandle(forReadingAtPath: path) else {
            throw RefsError.history(path, reason: "cannot be read")
        }
        defer { try? file.close() }
        let bytes = try file.read(upToCount: bytesMax + 1) ?? Data()
        guard bytes.count <= bytesMax else {
            throw RefsError.history(path, reason: "more than \(bytesMax) bytes")
        }
        return bytes
    }

    private static func read(_ path: String) throws -> [NameManifest] {
        let bytes = try Self.bytes(of: path)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        if let names = try? decoder.decode(NamesFile.self, from: bytes) {
            return names.manifests.map { entry in
                NameManifest(
                    runKey: entry.runKey,
                    finished: entry.finished,
                    complete: entry.complete,
                    unfiltered: entry.unfiltered,
                    names: Dictionary(
                        entry.names.map { (CellID($0.key), $0.value) },
                        uniquingKeysWith: { $0.union($1) }
                    )
                )
            }
        }
        do {
            return [try manifest(of: JSONDecoder().decode(RunSummary.self, from: bytes), path)]
        } catch let error as DecodingError {
            throw RefsError.history(path, reason: "no summary and no names (\(error.inWords))")
        }
    }

    /// Returns the names of the pictures that a run made, by its summary: those whose verdict is
    /// neither missing nor unreached.
    private static func manifest(of summary: RunSummary, _ path: String) throws -> NameManifest {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        guard let finished = try? style.parse(summary.run.finished) else {
            throw RefsError.history(path, reason: "it does not say when the run ended")
        }
        var names: [CellID: Set<String>] = [:]
        for cell in summary.cells { names[CellID(cell.id)] = [] }
        for snapshot in summary.snapshots where ![.missing, .unreached].contains(snapshot.verdict) {
            names[CellID(snapshot.cell), default: []].insert("\(snapshot.suite)/\(snapshot.name)")
        }
        let counts = summary.counts
        let isWhole = !summary.snapshots.contains { $0.verdict == .unreached }
        return NameManifest(
            runKey: summary.run.key.isEmpty ? summary.run.id : summary.run.key,
            finished: finished,
            complete: isWhole && counts.withoutVerdict == 0 && counts.unreached == 0
                && summary.cells.allSatisfy(\.complete)
                && [.passed, .failed].contains(summary.state),
            // A share lacks the pictures that other machines made.
            unfiltered: !summary.run.filtered && summary.run.shard == nil,
            names: names
        )
    }
}
