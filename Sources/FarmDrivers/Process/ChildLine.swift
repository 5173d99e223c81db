// One line for a child that was started before the line was known.
import CFarmShims
import FarmCore
import Foundation

#if canImport(System)
import System
#else
import SystemPackage
#endif

/// A line that a child finds on its standard input once it is told.
///
/// A child that waits for it reads the end of the file when this process is gone.
package final class ChildLine: Sendable {
    let reader: FileDescriptor
    private let writer: FileDescriptor

    /// - Throws: `DriverError` where this process may open no more files.
    package init() throws {
        var ends: [Int32] = [-1, -1]
        guard farm_pipe(&ends) == 0 else {
            throw DriverError.fileUnwritable(path: "a pipe", reason: "\(Errno(rawValue: errno))")
        }
        reader = FileDescriptor(rawValue: ends[0])
        writer = FileDescriptor(rawValue: ends[1])
    }

    deinit {
        try? reader.close()
        try? writer.close()
    }

    /// Tells the line, at most 4,000 bytes, so that nobody waits for the child to read it.
    package func tell(_ line: String) {
        _ = try? writer.writeAll(Array((line + "\n").utf8.prefix(4_000)))
    }
}

extension ChildLine: Hashable {
    package static func == (left: ChildLine, right: ChildLine) -> Bool { left === right }
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
