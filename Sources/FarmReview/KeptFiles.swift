// The files of a run in a folder or a zip, by their paths in the output folder. Both come from
// elsewhere, so no path leads out, no link is followed, and every file has a size limit.
import FarmArtifacts
import FarmCore
import Foundation

/// The kept files of a run: its output folder, or only its `FailureDiffs`.
package struct KeptFiles: Sendable {
    package static let manifest = "manifest.json"
    package static let summary = "summary.json"
    package static let evidence = "evidence.json"
    package static let diffs = "FailureDiffs"
    static let zip = "FailureDiffs.zip"

    private enum Place: Sendable {
        case folder(String)
        case zip(ZipReader, prefix: String)
    }

    private let place: Place
    /// Whether only the contents of `FailureDiffs` are there, without the output folder around it.
    private let isDiffsAlone: Bool

    /// Opens the output folder of a run, or its `FailureDiffs`.
    init(folder: String) throws {
        place = .folder(folder + "/")
        let files = FileManager.default
        isDiffsAlone = files.fileExists(atPath: "\(folder)/\(Self.manifest)")
        let inside = "\(folder)/\(Self.diffs)/\(Self.manifest)"
        guard isDiffsAlone || files.fileExists(atPath: inside) else {
            throw ReviewRefusal.notOurs(origin: folder, fact: "holds no \(Self.manifest)")
        }
    }

    /// Opens a `FailureDiffs.zip`, or a CI provider's zip: of the output folder, or around the zip,
    /// which is then unpacked to `scratch`.
    init(zip: ZipReader, origin: String, scratch: String) throws {
        let suffix = "\(Self.diffs)/\(Self.manifest)"
        func manifests(_ zip: ZipReader) -> [String] {
            zip.entries.map(\.path).filter {
                $0 == Self.manifest || $0 == suffix || $0.hasSuffix("/\(suffix)")
            }
        }
        var zip = zip
        if manifests(zip).isEmpty, let inner = Self.inner(zip) {
            let path = "\(scratch)/\(Self.zip)"
            try zip.extract(inner, toFileAt: path, bytesMax: FarmLimits.archiveBytesMax)
            zip = try ZipReader(fileAt: path)
        }
        let found = manifests(zip)
        guard found.count == 1, let manifest = found.first else {
            throw ReviewRefusal.notOurs(
                origin: origin,
                fact: found.isEmpty
                    ? "holds no \(Self.manifest)" : "holds the manifests of several runs"
            )
        }
        isDiffsAlone = !manifest.hasSuffix(suffix)
        let own = isDiffsAlone ? Self.manifest : suffix
        place = .zip(zip, prefix: String(manifest.dropLast(own.count)))
    }

    private static func inner(_ zip: ZipReader) -> ZipReader.Entry? {
        let inner = zip.entries.filter { $0.path == self.zip || $0.path.hasSuffix("/\(self.zip)") }
        return inner.count == 1 ? inner.first : nil
    }

    /// Reads the bytes of a file; returns `nil` if it does not exist.
    ///
    /// `path` is relative to the output folder.
    /// - Throws: `ZipReadError`.
    package func bytes(_ path: String, bytesMax: Int) throws -> Data? {
        guard ZipPaths.isSafe(path), let path = own(path) else { return nil }
        switch place {
        case .folder(let folder):
            // A parent folder may be a link, too.
            guard Self.hasNoLink(below: folder, path) else { return nil }
            return try BoundedFile.read(folder + path, bytesMax: bytesMax)
        case .zip(let zip, let prefix):
            return try zip.entry(prefix + path).map { try zip.read($0, bytesMax: bytesMax) }
        }
    }

    /// Whether the run's files contain a file at a path relative to the output folder.
    package func has(_ path: String) -> Bool {
        guard ZipPaths.isSafe(path), let path = own(path) else { return false }
        return switch place {
        case .folder(let folder): FileManager.default.fileExists(atPath: folder + path)
        case .zip(let zip, let prefix): zip.entry(prefix + path) != nil
        }
    }

    /// Returns the path relative to the manifest's folder, or `nil` if the file cannot be there.
    private func own(_ path: String) -> String? {
        guard isDiffsAlone else { return path }
        if path == Self.summary { return path }
        let prefix = Self.diffs + "/"
        return path.hasPrefix(prefix) ? String(path.dropFirst(prefix.count)) : nil
    }

    private static func hasNoLink(below folder: String, _ path: String) -> Bool {
        var place = folder
        for part in path.split(separator: "/").dropLast() {
            place += part
            let type = try? FileManager.default.attributesOfItem(atPath: place)[.type]
            guard type as? FileAttributeType == .typeDirectory else { return false }
            place += "/"
        }
        return true
    }
}
