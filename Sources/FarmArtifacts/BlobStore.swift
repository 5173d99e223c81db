// Files by the digest of their content: `<folder>/ab/<hex>`, read-only, written once.
//
// Invariants
//   - A name in the store means that all its bytes are there and durable: a file gets its name only
//     after its bytes were flushed. A record that names a blob is written after `put`, `finish` or
//     `commit` has returned. "Bytes durable before the record that names them."
//   - A file under `<folder>/tmp` is incomplete and means nothing.
//   - A stored file is never written again.
import FarmCore
import FarmFiles
import Foundation

/// A content-addressed store of immutable files; safe for many processes at once.
package struct BlobStore: Sendable {
    /// The absolute path of the store's folder.
    package let folder: String
    /// The number of bytes that are read or written at a time.
    static let chunkBytes = 1 << 20

    /// Opens a store and makes its folders.
    package init(folder: String) throws(ArtifactError) {
        self.folder = folder
        try Posix.makeFolders(folder + "/tmp")
    }

    /// Removes the temporary files of writers that died.
    ///
    /// Only for the one process that holds the data folder's lock: it ends uploads in progress,
    /// too.
    package func removeLeftovers() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder + "/tmp")) ?? []
        for name in names { Posix.remove(folder + "/tmp/" + name) }
    }

    /// Returns the path of a blob's file, whether it is there or not.
    package func path(of digest: Digest) -> String {
        shelf(of: digest) + "/" + digest.hex
    }

    package func contains(_ digest: Digest) -> Bool { size(of: digest) != nil }

    /// Returns the size of a blob in bytes, or `nil` if it is not there.
    package func size(of digest: Digest) -> Int? { Posix.size(path(of: digest)) }

    /// Stores bytes as a blob and returns their digest; they are durable when this returns.
    ///
    /// A blob that is there already is not written again.
    @discardableResult
    package func put(_ bytes: some ContiguousBytes) throws(ArtifactError) -> Digest {
        let digest = Self.digest(of: bytes)
        if renew(digest) { return digest }
        let upload = try begin(bytesMax: .max)
        try upload.append(bytes)
        try upload.finish(expecting: digest)
        return digest
    }

    /// Stores a copy of a file as a blob and returns its digest; it is durable when this returns.
    ///
    /// - Throws: `ArtifactError.tooLarge` beyond `bytesMax`; the file may change meanwhile.
    @discardableResult
    package func put(fileAt path: String, bytesMax: Int) throws(ArtifactError) -> Digest {
        // Most captures are there already, and reading twice is cheaper than writing once.
        var known = DigestStream()
        try Self.forEachChunk(of: path) { chunk throws(ArtifactError) in
            known.append(chunk)
            guard known.count <= bytesMax else { throw .tooLarge(bytesMax: bytesMax) }
        }
        if renew(known.finish()) { return known.finish() }
        let upload = try begin(bytesMax: bytesMax)
        try Self.forEachChunk(of: path) { chunk throws(ArtifactError) in try upload.append(chunk) }
        return try upload.finish()
    }

    /// Starts an upload of at most `bytesMax` bytes.
    package func begin(bytesMax: Int) throws(ArtifactError) -> BlobUpload {
        try BlobUpload(store: self, bytesMax: bytesMax)
    }

    /// Starts a batch of small blobs that become durable together.
    package func batch() -> BlobBatch { BlobBatch(store: self) }

    /// Returns all bytes of a blob, checked against the digest of its name.
    package func read(_ digest: Digest) throws(ArtifactError) -> Data {
        guard let size = size(of: digest) else { throw .missing(digest) }
        let bytes = try read(digest, in: 0..<size)
        guard Digest(of: bytes) == digest else { throw .damaged(digest) }
        return Data(bytes)
    }

    /// Puts a blob's bytes at a path outside the store, in place of any file there, in one step.
    ///
    /// Makes a hard link if the file system allows it, else a copy. The file is read-only: replace
    /// it to change it.
    package func link(_ digest: Digest, to path: String) throws(ArtifactError) {
        guard contains(digest) else { throw .missing(digest) }
        try Posix.makeFolders(path.parentFolder)
        let fresh = try freshName(beside: path)
        if FileLink.make(self.path(of: digest), at: fresh) {
            return try Posix.durably { () throws(FileFailure) in
                try DurableFile.settle(fresh, at: path)
            }
        }
        let copy = try Posix.newFile(path + ".")
        do throws(ArtifactError) {
            try Self.forEachChunk(of: self.path(of: digest)) { chunk throws(ArtifactError) in
                try Posix.durably { () throws(FileFailure) in try copy.append(chunk) }
            }
            try Posix.durably { () throws(FileFailure) in
                try copy.setMode(0o444)
                try copy.settle(at: path)
            }
        } catch {
            copy.discard()
            throw error
        }
    }

    func shelf(of digest: Digest) -> String { folder + "/" + digest.hex.prefix(2) }

    static func digest(of bytes: some ContiguousBytes) -> Digest {
        var stream = DigestStream()
        bytes.withUnsafeBytes { stream.append($0) }
        return stream.finish()
    }

    static func forEachChunk(
        of path: String,
        _ body: (UnsafeRawBufferPointer) throws(ArtifactError) -> Void
    ) throws(ArtifactError) {
        guard let file = try PosixFile.reading(path) else {
            throw .system(operation: "open", path: path, text: "there is no such file")
        }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: chunkBytes, alignment: 16)
        defer { buffer.deallocate() }
        var offset = 0
        while true {
            let count = try file.read(into: buffer, at: offset)
            guard count > 0 else { return }
            try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            offset += count
        }
    }

    /// Returns a free path in the same folder.
    ///
    /// `mkstemp` has chosen it, so no other process will.
    private func freshName(beside path: String) throws(ArtifactError) -> String {
        let file = try Posix.newFile(path + ".")
        file.discard()
        return file.path
    }
}

extension BlobStore: BlobReading {
    package func read(_ digest: Digest, in range: Range<Int>) throws(ArtifactError) -> [UInt8] {
        guard let file = try PosixFile.reading(path(of: digest)) else { throw .missing(digest) }
        var read = 0
        var failure: ArtifactError?
        let bytes = [UInt8](unsafeUninitializedCapacity: range.count) { buffer, count in
            let room = UnsafeMutableRawBufferPointer(buffer)
            do throws(ArtifactError) {
                let wanted = UnsafeMutableRawBufferPointer(rebasing: room[..<range.count])
                read = try file.read(into: wanted, at: range.lowerBound)
            } catch {
                failure = error
            }
            count = read
        }
        if let failure { throw failure }
        guard read == range.count else { throw .damaged(digest) }
        return bytes
    }
}
