// Watches the results files of a process while it runs: which of its tests run, if the program
// marks them (see TestMarks), and since when.
import FarmCore
import Foundation

/// The identity, size and date of a file, which show that the file was written again.
struct FileStamp: Equatable {
    var inode: UInt64
    var size: UInt64
    var modified: Date?

    init?(of path: String) {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path) else {
            return nil
        }
        inode = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        size = (attributes[.size] as? NSNumber)?.uint64Value ?? 0
        modified = attributes[.modificationDate] as? Date
    }
}

/// Watches the results files of one process while it runs.
struct ResultsWatch {
    /// The progress of reading one file that the process has written.
    private struct Reading {
        var inode: UInt64
        var offset: UInt64 = 0
        var marks: TestMarks
    }

    private static let pieceBytes = 1 << 18

    private let folder: String
    private let glob: Glob
    private let tests: [TestID]
    /// The files that existed before the process began: results of an earlier process must not
    /// count as this one's.
    private let before: [String: FileStamp]
    private var readings: [String: Reading] = [:]
    private var bytesRead = 0
    /// The running tests, with the times at which they started.
    private(set) var running: [TestID: ContinuousClock.Instant] = [:]

    /// Begins to watch the files that match `pattern`, which is relative to the lease's folder; to
    /// be called before the process starts.
    init(_ pattern: String, in folder: String, of tests: [TestID]) throws {
        let pattern = pattern.hasPrefix("./") ? String(pattern.dropFirst(2)) : pattern
        self.folder = folder
        self.tests = tests
        glob = Glob(pattern, mode: .path)
        before = try Self.stamps(of: glob, in: folder)
    }

    /// Returns the files that the process has written, sorted.
    func files() throws -> [String] { try written().keys.sorted() }

    private func written() throws -> [String: FileStamp] {
        try Self.stamps(of: glob, in: folder).filter { before[$0.key] != $0.value }
    }

    private static func stamps(of glob: Glob, in folder: String) throws -> [String: FileStamp] {
        try LeaseListing(of: folder).files.filter { glob.matches($0) }
            .reduce(into: [:]) { $0[$1] = FileStamp(of: "\(folder)/\($1)") }
    }

    /// Reads what the process has appended; returns the tests that have started since.
    mutating func look() throws -> [TestID] {
        var started: [TestID] = []
        for (file, stamp) in try written() {
            var reading = readings[file] ?? Reading(inode: stamp.inode, marks: TestMarks(tests))
            if reading.inode != stamp.inode || stamp.size < reading.offset {
                reading = Reading(inode: stamp.inode, marks: TestMarks(tests))
            }
            for mark in try marks(of: file, &reading) {
                switch mark {
                case .started(let test):
                    running[test] = .now
                    started.append(test)
                case .ended(let test): running[test] = nil
                }
            }
            readings[file] = reading
        }
        return started
    }

    private mutating func marks(of file: String, _ reading: inout Reading) throws -> [TestMarks
        .Mark]
    {
        guard let handle = FileHandle(forReadingAtPath: "\(folder)/\(file)") else { return [] }
        defer { try? handle.close() }
        try handle.seek(toOffset: reading.offset)
        var marks: [TestMarks.Mark] = []
        while bytesRead < FarmLimits.junitBytesMax,
            let bytes = try handle.read(upToCount: Self.pieceBytes), !bytes.isEmpty
        {
            bytesRead += bytes.count
            reading.offset += UInt64(bytes.count)
            marks += reading.marks.feed(Array(bytes))
        }
        return marks
    }

    /// Returns the tests that have run for longer than `seconds`.
    func overdue(seconds: Double) -> [TestID] {
        let now = ContinuousClock.now
        return running.filter { $0.value.duration(to: now).seconds > seconds }.keys.sorted()
    }
}
