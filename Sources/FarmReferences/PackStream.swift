// Many pictures are written as one pack, as Git's pack-format(5) says, into libgit2's indexer:
//
//     "PACK" version:u32=2 count:u32, then per object kind and size, then a zlib stream;
//     at the end the SHA-1 of all that.
//
// PNG does not compress, so the zlib streams hold stored blocks: a third of the CPU time of loose
// objects. The indexer hashes every object, and nothing is visible before `finish`.
import CFarmShims
import CGit2
import Crypto
import FarmCore
import Foundation

/// A pack of blobs on its way into a repository; dropped without a trace unless finished.
final class PackStream {
    private let repository: GitRepository
    private let writer: UnsafeMutablePointer<git_odb_writepack>
    private var progress = git_indexer_progress()
    private var hash = Insecure.SHA1()

    /// `count` blobs must follow, exactly.
    init(of count: UInt32, into repository: GitRepository) throws(ReferenceStoreError) {
        var made: UnsafeMutablePointer<git_odb_writepack>?
        try GitLibrary.check(
            git_odb_write_pack(&made, repository.objects, nil, nil),
            "start a pack in \(repository.path)"
        )
        guard let made else {
            throw .git(doing: "start a pack in \(repository.path)", reason: "no writer")
        }
        self.repository = repository
        writer = made
        try append(Data("PACK".utf8) + bigEndian(2) + bigEndian(count))
    }

    deinit { writer.pointee.free?(writer) }

    func append(blob bytes: Data) throws(ReferenceStoreError) {
        var object = objectHeader(bytes: bytes.count)
        object.reserveCapacity(bytes.count + bytes.count / storedBytesMax * 5 + 32)
        appendStoredStream(of: bytes, to: &object)
        try append(object)
    }

    /// Ends the pack and makes its objects readable.
    func finish() throws(ReferenceStoreError) {
        try append(Data(hash.finalize()))
        try GitLibrary.check(
            writer.pointee.commit?(writer, &progress) ?? -1,
            "finish a pack in \(repository.path)"
        )
    }

    private func append(_ bytes: Data) throws(ReferenceStoreError) {
        hash.update(data: bytes)
        let code = bytes.withUnsafeBytes {
            writer.pointee.append?(writer, $0.baseAddress, $0.count, &progress) ?? -1
        }
        try GitLibrary.check(code, "write a pack in \(repository.path)")
    }
}

/// The most bytes of one stored block of deflate (RFC 1951 §3.2.4).
private let storedBytesMax = 65_535

/// Kind (3 = blob) and size: four bits of the size, then seven bits at a time, lowest first.
private func objectHeader(bytes: Int) -> Data {
    var rest = bytes >> 4
    var header = Data([3 << 4 | UInt8(bytes & 15) | (rest > 0 ? 0x80 : 0)])
    while rest > 0 {
        let low = UInt8(rest & 127)
        rest >>= 7
        header.append(low | (rest > 0 ? 0x80 : 0))
    }
    return header
}

func appendStoredStream(of bytes: Data, to stream: inout Data) {
    stream.append(contentsOf: [0x78, 0x01])
    var rest = bytes
    repeat {
        let block = rest.prefix(storedBytesMax)
        rest = rest.dropFirst(block.count)
        let count = UInt16(block.count)
        stream.append(contentsOf: [
            rest.isEmpty ? 1 : 0,
            UInt8(count & 255), UInt8(count >> 8), UInt8(~count & 255), UInt8(~count >> 8),
        ])
        stream.append(block)
    } while !rest.isEmpty
    let checksum = bytes.withUnsafeBytes { farm_git_adler32($0.baseAddress, $0.count) }
    stream.append(bigEndian(checksum))
}

private func bigEndian(_ number: UInt32) -> Data {
    Data([24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) })
}
