// The zip of a bundle, and the comparison of an unpacked bundle with it.
//
// A test can write any file that its worker's user can, the cache of bundles included. So a kept
// zip and a kept folder prove nothing. Both are checked at once: the digest of a bundle is computed
// again, with the bytes of its stored files read from the folder. If it is the digest that the
// lease names, then the zip's directory, the index and every file are right.
import FarmCore
import FarmFiles
import Foundation

/// An open zip of a bundle with its index.
struct BundleZip {
    let reader: ZipReader
    let index: BundleIndex
    let digest: Digest

    /// Opens the zip of a bundle and reads its index; does not check `digest` yet.
    ///
    /// - Throws: ``BundleError``, `ZipReadError` and `ArtifactError`.
    init(fileAt path: String, digest: Digest) throws {
        reader = try ZipReader(fileAt: path)
        self.digest = digest
        guard let entry = reader.entry(BundleIndex.name) else {
            throw BundleError.foreign(digest, fact: "has no index")
        }
        let bytes = try reader.read(entry, bytesMax: FarmLimits.messageBytesMax)
        guard let index = try? JSONDecoder().decode(BundleIndex.self, from: bytes),
            index.version == BundleIndex.versionNow
        else { throw BundleError.foreign(digest, fact: "has an index of another version") }
        self.index = index
    }

    /// Returns whether the zip file's bytes have the bundle's digest.
    func isWhole() throws -> Bool {
        var stream = DigestStream()
        try reader.forEachStored(in: 0..<reader.file.size) { stream.append($0) }
        return stream.finish() == digest
    }

    /// Returns the mode that the bundle's file at a path has when it is unpacked.
    func mode(of path: String, _ executables: Set<String>) -> mode_t {
        (index.isWritable ? 0o644 : 0o444) | (executables.contains(path) ? 0o111 : 0)
    }

    // MARK: an unpacked bundle

    /// The result of comparing an unpacked bundle with its zip.
    enum State: Equatable {
        case same
        case absent
        /// The folder has the whole bundle and these other entries, as relative paths.
        case added([String])
        /// The first path that differs from the bundle; empty if the zip itself does.
        case changed(String)
    }

    /// Compares every name, mode, link and byte of an unpacked bundle with the zip.
    func state(of folder: String) throws -> State {
        guard let kind = FileKind.of(folder) else { return .absent }
        guard kind == .folder else { return .changed(".") }
        let added = added(in: folder)
        if let path = changedKind(in: folder) { return .changed(path) }
        var stream = DigestStream()
        if let path = try feed(&stream, filesIn: folder) { return .changed(path) }
        guard stream.finish() == digest else { return .changed("") }
        return added.isEmpty ? .same : .added(added)
    }

    /// Returns the paths of entries in the bundle's folders that the bundle does not have.
    private func added(in folder: String) -> [String] {
        var names: [String: Set<String>] = ["": []]
        for path in reader.entries.map(\.path) + index.links.keys {
            var rest = path
            while !rest.isEmpty {
                let (parent, name) = GuardedFolder.split(rest)
                guard names[parent, default: []].insert(name).inserted else { break }
                rest = parent
            }
        }
        return names.keys.sorted().flatMap { parent in
            let place = parent.isEmpty ? folder : "\(folder)/\(parent)"
            let found = FileKind.of(place) == .folder ? FileKind.names(in: place) : []
            return found.filter { names[parent]?.contains($0) != true }.sorted()
                .map { parent.isEmpty ? $0 : "\(parent)/\($0)" }
        }
    }

    /// Returns the first path whose kind, mode or link target is not the bundle's, or `nil` if all
    /// are.
    private func changedKind(in folder: String) -> String? {
        let executables = Set(index.executables)
        var folders: Set<String> = [""]
        for path in (reader.entries.map(\.path) + index.links.keys).sorted() {
            var parent = GuardedFolder.split(path).folder
            while folders.insert(parent).inserted {
                guard FileKind.of("\(folder)/\(parent)") == .folder else { return parent }
                parent = GuardedFolder.split(parent).folder
            }
            if let target = index.links[path] {
                let found = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/\(path)"
                )
                guard found == target else { return path }
                continue
            }
            var status = stat()
            guard lstat("\(folder)/\(path)", &status) == 0,
                status.st_mode == S_IFREG | mode(of: path, executables)
            else { return path }
        }
        return nil
    }

    /// Feeds the zip's bytes to `stream`, with those of stored files read from the folder.
    ///
    /// Returns the first file with another length or, for a deflated one, another content, or `nil`
    /// if there is none.
    private func feed(_ stream: inout DigestStream, filesIn folder: String) throws -> String? {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
        defer { buffer.deallocate() }
        var at = 0
        for entry in reader.entries.sorted(by: { $0.place.lowerBound < $1.place.lowerBound }) {
            let path = "\(folder)/\(entry.path)"
            guard let file = try PosixFile.reading(path), try file.size() == entry.size else {
                return entry.path
            }
            let isStored = entry.method == 0
            let data = try reader.dataRange(of: entry)
            if isStored { try reader.forEachStored(in: at..<data.lowerBound) { stream.append($0) } }
            var unpacked = DigestStream()
            var offset = 0
            while offset < entry.size {
                let count = try file.read(into: buffer, at: offset)
                guard count > 0 else { return entry.path }
                let chunk = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                if isStored { stream.append(chunk) } else { unpacked.append(chunk) }
                offset += count
            }
            if isStored {
                at = data.upperBound
            } else if try unpacked.finish() != digest(of: entry) {
                return entry.path
            }
        }
        try reader.forEachStored(in: at..<reader.file.size) { stream.append($0) }
        return nil
    }

    private func digest(of entry: ZipReader.Entry) throws -> Digest {
        var stream = DigestStream()
        try reader.forEachChunk(of: entry, bytesMax: entry.size) { stream.append($0) }
        return stream.finish()
    }
}
