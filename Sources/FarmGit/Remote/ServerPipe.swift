// A server program of Git on the other end of a socket: `git receive-pack` on this machine, or
// through ssh on another. OpenSSH then checks the host's key, finds keys and reads ~/.ssh/config
// for a push as it does for a fetch; libgit2's own SSH would do each of these differently.
import FarmCore
import Foundation

/// One running server program; bytes go both ways until one side stops for `stallSeconds`.
///
/// Not for two threads at once.
package final class ServerPipe {
    private let child: ChildProgram
    private let socket: FileHandle
    private let errors = Pipe()
    private let stallSeconds: Int
    private var said = Data()

    /// What a broken pipe means, in words.
    package private(set) var failure: String?
    package private(set) var isStalled = false

    package init(
        _ words: [String],
        environment: [String: String],
        stallSeconds: Int
    ) throws {
        var ends: [Int32] = [-1, -1]
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw GitError.system(
                doing: "make a socket",
                reason: String(cString: strerror(errno))
            )
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // A program that died must not end us with SIGPIPE; Linux takes that with every write.
        #if canImport(Darwin)
        var on: Int32 = 1
        setsockopt(ends[0], SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
        let theirs = FileHandle(fileDescriptor: ends[1], closeOnDealloc: true)
        socket = FileHandle(fileDescriptor: ends[0], closeOnDealloc: true)
        self.stallSeconds = stallSeconds
        child = try ChildProgram(
            words,
            environment: environment,
            input: theirs,
            output: theirs,
            errors: errors.fileHandleForWriting
        )
        try theirs.close()
        try errors.fileHandleForWriting.close()
    }

    /// What the program wrote to standard error; ends it where it does not end by itself.
    package var words: String {
        if child.status(within: 2) == nil { child.end() }
        while !errorsEnded, wait(for: [], seconds: 1) == .errors {}
        return String(decoding: said + unread(), as: UTF8.self)
    }

    /// What the program told the client, who was busy writing when it died: the texts of Git's
    /// side band, `<4 hex digits of length>\u{2}<text>`.
    private func unread() -> Data {
        var bytes = Data(count: Self.unreadBytesMax)
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_DONTWAIT)
        #endif
        let count = bytes.withUnsafeMutableBytes {
            recv(socket.fileDescriptor, $0.baseAddress, $0.count, flags)
        }
        var rest = bytes.prefix(max(0, count))
        var texts = Data()
        while rest.count > 4,
            let length = Int(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16)
        {
            let line = rest.prefix(max(4, length)).dropFirst(4)
            rest = rest.dropFirst(max(4, length))
            if line.first == 2 { texts += line.dropFirst() }
        }
        return texts
    }

    private static let unreadBytesMax = 64 << 10

    /// Reads at most `count` bytes; 0 at the end, -1 where the other side fell silent.
    package func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
        guard isReady(to: POLLIN) else { return -1 }
        while true {
            let got = recv(socket.fileDescriptor, buffer, count, 0)
            if got < 0, errno == EINTR { continue }
            if got < 0 { failure = String(cString: strerror(errno)) }
            return got
        }
    }

    /// Writes all bytes, or returns false.
    package func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
        #if canImport(Darwin)
        let flags = MSG_DONTWAIT
        #else
        let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            guard isReady(to: POLLOUT) else { return false }
            let sent = send(
                socket.fileDescriptor,
                UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                rest.count,
                flags
            )
            if sent < 0, errno == EINTR || errno == EAGAIN { continue }
            guard sent > 0 else {
                failure = String(cString: strerror(errno))
                return false
            }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    package func end() { child.end() }

    private enum Event {
        case socket
        case errors
        case silence
    }

    /// Waits until the socket is ready, keeping what the program says meanwhile.
    private func isReady(to event: Int32) -> Bool {
        while true {
            switch wait(for: [Int16(event)], seconds: stallSeconds) {
            case .socket: return true
            case .errors: continue
            case .silence:
                isStalled = true
                return false
            }
        }
    }

    private var errorsEnded = false

    private func wait(for events: [Int16], seconds: Int) -> Event {
        var polled = events.map { pollfd(fd: socket.fileDescriptor, events: $0, revents: 0) }
        if !errorsEnded {
            let errorsEnd = errors.fileHandleForReading.fileDescriptor
            polled.append(pollfd(fd: errorsEnd, events: Int16(POLLIN), revents: 0))
        }
        var ready = poll(&polled, nfds_t(polled.count), Int32(seconds * 1_000))
        while ready < 0, errno == EINTR {
            ready = poll(&polled, nfds_t(polled.count), Int32(seconds * 1_000))
        }
        guard ready > 0 else { return .silence }
        if !events.isEmpty, polled[0].revents != 0 { return .socket }
        let bytes = readSome(errors.fileHandleForReading.fileDescriptor)
        errorsEnded = bytes.isEmpty
        said.append(bytes.prefix(ChildProgram.outputBytesMax - said.count))
        return bytes.isEmpty && events.isEmpty ? .silence : .errors
    }
}
