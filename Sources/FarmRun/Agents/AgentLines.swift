// The messages of an agent: one a line on standard input, the answers one a line on standard output.
//
// Invariants
//   - Nothing but answers reaches standard output: the descriptors are taken over, and what any other
//     code prints goes to standard error.
//   - A line is read only when the one before is taken, so a flood waits in its pipe.
import FarmCore
import Foundation
import Synchronization

/// A line of an agent.
package enum AgentLine: Hashable, Sendable {
    case message(Data)
    /// A line over the limit, which was skipped to its end.
    case tooLong
}

/// Reads the lines of a descriptor.
package final class AgentLines: Sendable {
    private struct Buffer {
        var bytes: [UInt8] = []
        var isSkipping = false
        var isEnded = false
    }

    private static let newline = UInt8(ascii: "\n")
    private let descriptor: Int32
    private let bytesMax: Int
    private let buffer = Mutex(Buffer())
    /// A thread of its own, because a read waits as long as the agent thinks.
    private let thread = DispatchQueue(label: "snapfarm.agent-lines")

    package init(descriptor: Int32, bytesMax: Int = FarmLimits.agentLineBytesMax) {
        self.descriptor = descriptor
        self.bytesMax = bytesMax
    }

    /// Returns the next line that is not empty, or `nil` at the end.
    package func next() async -> AgentLine? {
        await withCheckedContinuation { continuation in
            thread.async { continuation.resume(returning: self.read()) }
        }
    }

    private func read() -> AgentLine? {
        buffer.withLock { buffer in
            while true {
                if let end = buffer.bytes.firstIndex(of: Self.newline) {
                    let line = Array(buffer.bytes[..<end])
                    buffer.bytes.removeFirst(end + 1)
                    if let line = take(line, &buffer) { return line }
                } else if buffer.isEnded {
                    let line = buffer.bytes
                    buffer.bytes = []
                    return take(line, &buffer)
                } else {
                    if buffer.bytes.count > bytesMax {
                        buffer.bytes = []
                        buffer.isSkipping = true
                    }
                    fill(&buffer)
                }
            }
        }
    }

    private func take(_ line: [UInt8], _ buffer: inout Buffer) -> AgentLine? {
        if buffer.isSkipping || line.count > bytesMax {
            buffer.isSkipping = false
            return .tooLong
        }
        let isEmpty = line.allSatisfy { $0 == 0x20 || $0 == 0x0D || $0 == 0x09 }
        return isEmpty ? nil : .message(Data(line))
    }

    private func fill(_ buffer: inout Buffer) {
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let count = Foundation.read(descriptor, &chunk, chunk.count)
        if count > 0 {
            buffer.bytes += chunk[..<count]
        } else if count == 0 || errno != EINTR {
            buffer.isEnded = true
        }
    }
}

/// Takes over this process's standard input and output, and writes the answers.
package final class AgentOutput: Sendable {
    private let descriptor: Mutex<Int32>
    /// The descriptor of the agent's messages.
    package let input: Int32

    /// Takes the descriptors over; children and other code then find an empty input, and print to
    /// standard error.
    package init() {
        input = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
        descriptor = Mutex(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3))
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        dup2(nothing, STDIN_FILENO)
        dup2(STDERR_FILENO, STDOUT_FILENO)
        close(nothing)
    }

    /// Writes an answer as one line.
    package func write(_ answer: Data) {
        descriptor.withLock { descriptor in
            var bytes = (Array(answer) + [UInt8(ascii: "\n")])[...]
            while !bytes.isEmpty {
                let written = bytes.withUnsafeBytes {
                    Foundation.write(descriptor, $0.baseAddress, $0.count)
                }
                // The agent has gone; the end of its messages ends the server.
                guard written > 0 || errno == EINTR else { return }
                bytes = bytes.dropFirst(max(0, written))
            }
        }
    }
}
