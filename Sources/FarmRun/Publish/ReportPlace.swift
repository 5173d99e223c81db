// The places of published reports. A report's files are written before its facts, and these before
// the index, so that every shown link leads to a whole report.
import FarmArtifacts
import FarmCore
import FarmFiles
import FarmReports
import Foundation

/// A file of a report: its name in the report, and its path on this machine.
struct ReportFile: Hashable, Sendable {
    let name: String
    let path: String

    /// The content type of a file for browsers, by the end of its name.
    static func type(of name: String) -> String {
        let isText = SnapshotFile.isText(name)
        // A browser shows a text that a test made, and never runs it.
        if isText, ["FailureDiffs/", "captures/"].contains(where: name.hasPrefix) {
            return "text/plain; charset=utf-8"
        }
        switch name.split(separator: ".").last {
        case "diff": return "text/plain; charset=utf-8"
        case "html": return "text/html; charset=utf-8"
        case "json": return "application/json"
        case "png": return "image/png"
        case "md", "txt": return "text/plain; charset=utf-8"
        case "xml": return "application/xml"
        case "zip": return "application/zip"
        default: return "application/octet-stream"
        }
    }
}

/// A place that keeps files by name.
protocol ReportPlace: Sendable {
    /// The URL of the place for readers, without `/` at its end.
    var address: String { get }
    /// Writes the files of a report into its folder, in place of an earlier report's.
    func put(_ files: [ReportFile], into folder: String) async throws
    func put(_ bytes: Data, as name: String) async throws
    /// Reads a file, or returns `nil` if it is not there.
    func read(_ name: String) async throws -> Data?
    /// Returns the names of the files in a folder.
    func names(in folder: String) async throws -> [String]
}

/// The reports of a bucket.
struct BucketReports: ReportPlace {
    let folder: BucketFolder
    let address: String

    func put(_ files: [ReportFile], into name: String) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            var rest = files.makeIterator()
            func start() {
                guard let file = rest.next() else { return }
                group.addTask {
                    try await folder.put(
                        fileAt: file.path,
                        as: "\(name)/\(file.name)",
                        type: ReportFile.type(of: file.name)
                    )
                }
            }
            for _ in 0..<FarmLimits.bucketCallsAtOnce { start() }
            while try await group.next() != nil { start() }
        }
    }

    func put(_ bytes: Data, as name: String) async throws {
        try await folder.put(bytes, as: name, type: ReportFile.type(of: name))
    }

    func read(_ name: String) async throws -> Data? {
        try await folder.read(name, bytesMax: FarmLimits.reportIndexBytesMax)
    }

    func names(in folder: String) async throws -> [String] {
        try await self.folder.names(in: folder, pagesMax: FarmLimits.reportsKeptMax / 1_000)
    }
}

/// The reports of a folder.
struct FolderReports: ReportPlace {
    /// The absolute path of the folder.
    let path: String
    let address: String

    func put(_ files: [ReportFile], into name: String) throws {
        let target = "\(path)/\(name)"
        let part = "\(target).part-\(ProcessInfo.processInfo.processIdentifier)"
        let manager = FileManager.default
        do {
            for file in files {
                let copy = "\(part)/\(file.name)"
                try manager.createDirectory(
                    atPath: copy.parentFolder,
                    withIntermediateDirectories: true
                )
                try manager.copyItem(atPath: file.path, toPath: copy)
            }
            if manager.fileExists(atPath: target) { try manager.removeItem(atPath: target) }
            try manager.moveItem(atPath: part, toPath: target)
        } catch {
            try? manager.removeItem(atPath: part)
            throw error
        }
    }

    func put(_ bytes: Data, as name: String) throws {
        let file = "\(path)/\(name)"
        try FileManager.default.createDirectory(
            atPath: file.parentFolder,
            withIntermediateDirectories: true
        )
        try DurableFile.write(bytes, to: file)
    }

    func read(_ name: String) throws -> Data? {
        let file = "\(path)/\(name)"
        guard FileManager.default.fileExists(atPath: file) else { return nil }
        return try Data(contentsOf: URL(fileURLWithPath: file))
    }

    func names(in folder: String) throws -> [String] {
        let place = "\(path)/\(folder)"
        guard FileManager.default.fileExists(atPath: place) else { return [] }
        return try FileManager.default.contentsOfDirectory(atPath: place)
    }
}
