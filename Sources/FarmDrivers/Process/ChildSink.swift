// The destination of a child's output: the log under its limit, and the receiver. The farm never
// keeps a child's whole output in memory.
import CFarmShims
import FarmCore
import Foundation
import Subprocess
import Synchronization

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// The error of a child that printed more than it may, thrown within this folder only.
struct ChildFlooded: Error {}

/// Receives the output of one child from its one or two streams.
actor ChildSink {
    private let limit: Int
    private let log: LogFile?
    private let receiver: ChildOutput?
    private var taken = 0
    /// The beginning of all that the child has printed.
    private(set) var head: [UInt8] = []
    private static let headBytesMax = 1_024
    private var busy = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(limit: Int, log: String?, receiver: ChildOutput?) throws {
        self.limit = limit
        self.log = try log.map { try LogFile(path: $0) }
        self.receiver = receiver
    }

    /// Reads one stream of the child to its end.
    ///
    /// On an error, runs `stop` before it throws the error.
    nonisolated func drain(
        _ stream: SubprocessOutputSequence,
        _ kind: ChildStream,
        orElse stop: () async -> Void
    ) async throws {
        do {
            for try await buffer in stream {
                try await take(kind, buffer.withUnsafeBytes { Array($0) })
            }
        } catch {
            await stop()
            throw error
        }
    }

    private func take(_ kind: ChildStream, _ bytes: [UInt8]) async throws {
        let room = max(0, limit - taken)
        taken += bytes.count
        head += bytes.prefix(max(0, Self.headBytesMax - head.count))
        let kept = bytes.count <= room ? bytes : Array(bytes.prefix(room))
        log?.append(kept)
        if let receiver, !kept.isEmpty {
            // An actor accepts another call while this one waits, but the receiver takes one at a
            // time.
            await enter()
            defer { leave() }
            try await receiver(kind, kept)
        }
        if bytes.count > room { throw ChildFlooded() }
    }

    private func enter() async {
        guard busy else {
            busy = true
            return
        }
        await withCheckedContinuation { waiting.append($0) }
    }

    private func leave() {
        if waiting.isEmpty { busy = false } else { waiting.removeFirst().resume() }
    }
}

/// An append-only file that stops growing at `FarmLimits.logBytesMax`.
package final class LogFile: Sendable {
    private let descriptor: FileDescriptor
    private let room: Mutex<Int>

    /// Opens the file, or creates it.
    package init(path: String) throws {
        do {
            descriptor = try FileDescriptor.open(
                FilePath(path),
                .writeOnly,
                options: [.append, .create, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
            let size = try descriptor.seek(offset: 0, from: .end)
            room = Mutex(max(0, FarmLimits.logBytesMax - Int(size)))
        } catch {
            throw DriverError.fileUnwritable(path: path, reason: error.inWords)
        }
    }

    deinit { try? descriptor.close() }

    /// Appends as many of the bytes as there is room for.
    ///
    /// Errors are ignored: a log that cannot be written is no reason to fail a test.
    package func append(_ bytes: [UInt8]) {
        room.withLock { room in
            let kept = bytes.prefix(room)
            room -= kept.count
            _ = try? descriptor.writeAll(kept)
        }
    }

    /// Appends a line that begins with `snapfarm: `.
    package func note(_ line: String) {
        append(Array("snapfarm: \(line)\n".utf8))
    }
}

/// A child's standard input as a file: the child may read it or not, at any pace, without delaying
/// the farm.
final class ChildInputFile: Sendable {
    let descriptor: FileDescriptor

    init(_ input: ChildInput) throws {
        switch input {
        case .none:
            descriptor = try FileDescriptor.open(
                FilePath("/dev/null"),
                .readOnly,
                options: .closeOnExec
            )
        case .bytes(let bytes) where bytes.count <= Self.pipeBytesMax:
            descriptor = try Self.pipe(bytes)
        case .bytes(let bytes):
            let path = NSTemporaryDirectory() + "/snapfarm-stdin-" + UUID().uuidString
            do {
                descriptor = try FileDescriptor.open(
                    FilePath(path),
                    .readWrite,
                    options: [.create, .exclusiveCreate, .closeOnExec],
                    permissions: .ownerReadWrite
                )
                // Unlinked at once, so that nothing is left behind, whatever happens.
                unlink(path)
                try descriptor.writeAll(bytes)
                try descriptor.seek(offset: 0, from: .start)
            } catch {
                throw DriverError.fileUnwritable(path: path, reason: error.inWords)
            }
        }
    }

    deinit { try? descriptor.close() }

    /// The most bytes that are passed through a pipe: every pipe holds as many, so that writing
    /// never waits for the child to read.
    private static let pipeBytesMax = 4_096

    /// Returns the reading end of a pipe with the bytes: they may be a secret, which must not touch
    /// the disk.
    private static func pipe(_ bytes: [UInt8]) throws -> FileDescriptor {
        var ends: [Int32] = [-1, -1]
        guard farm_pipe(&ends) == 0 else {
            throw DriverError.fileUnwritable(path: "a pipe", reason: "\(Errno(rawValue: errno))")
        }
        let writer = FileDescriptor(rawValue: ends[1])
        defer { try? writer.close() }
        try writer.writeAll(bytes)
        return FileDescriptor(rawValue: ends[0])
    }
}
