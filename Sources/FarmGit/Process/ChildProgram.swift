// Runs a child program with bounded output and a deadline, because Git and ssh speak to machines
// that may never answer. The child does not get this process's standard input. It is ended with its
// whole process group; if this process is killed, the guard does that (farm_guard.c).
//
// Uses posix_spawn(2) and waitpid(2). Foundation's Process notices an end by a run loop of its own
// and sometimes misses it in a process with many children.
import CFarmShims
import FarmCore
import Foundation

/// A child program that runs until it ends or is ended.
///
/// Not safe to use from two threads at once.
package final class ChildProgram {
    private let pid: pid_t
    /// The exit status as in a shell (128 + the signal if a signal ended the program), or `nil`
    /// while the program runs.
    private var ending: Int32?

    /// Starts a program by its name (found on the PATH of `environment`) or its path.
    package init(
        _ words: [String],
        environment: [String: String],
        input: FileHandle,
        output: FileHandle,
        errors: FileHandle
    ) throws(RemoteError) {
        let program = words.first ?? ""
        guard let path = Self.find(program, in: environment) else {
            throw .gitMissing(program: program, reason: "it is not on the PATH")
        }
        var started: pid_t = 0
        let descriptors = [input, output, errors].map(\.fileDescriptor)
        let code = withSpawnSettings(descriptors) { actions, attributes in
            withStrings(words) { words in
                withStrings(environment.map { "\($0.key)=\($0.value)" }) { variables in
                    posix_spawn(&started, path, actions, attributes, words, variables)
                }
            }
        }
        guard code == 0 else {
            throw .gitMissing(program: path, reason: String(cString: strerror(code)))
        }
        pid = started
        farm_guard_watch(pid)
    }

    deinit { end() }

    /// Waits until the program ends by itself.
    ///
    /// Returns its status, or `nil` if it runs for longer than `seconds`.
    package func status(within seconds: Double) -> Int32? {
        let limit = ContinuousClock.now + .seconds(seconds)
        var pause: UInt32 = 500
        while ending == nil {
            var status: Int32 = 0
            let ended = waitpid(pid, &status, WNOHANG)
            if ended == pid {
                let signal = status & 0x7F
                ending = signal == 0 ? (status >> 8) & 0xFF : 128 + signal
                farm_guard_release(pid)
            } else if ended < 0, errno != EINTR {
                // Another part of this process took the status: only the end is known.
                ending = 255
                farm_guard_release(pid)
            } else if ContinuousClock.now < limit {
                // Polls: waitpid(2) has no deadline, and SIGCHLD belongs to the whole process.
                usleep(pause)
                pause = min(pause * 2, 20_000)
            } else {
                return nil
            }
        }
        return ending
    }

    /// Ends the program, first with SIGTERM, so that Git removes its temporary files.
    package func end() {
        guard status(within: 0) == nil else { return }
        kill(-pid, SIGTERM)
        if status(within: 2) == nil {
            kill(-pid, SIGKILL)
            _ = status(within: 10)
        }
    }

    /// Returns the path of a program on the environment's PATH, or `nil` if it is not there.
    package static func find(_ program: String, in environment: [String: String]) -> String? {
        let files = FileManager.default
        guard !program.contains("/") else {
            return files.isExecutableFile(atPath: program) ? program : nil
        }
        return (environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin").split(separator: ":")
            .map { "\($0)/\(program)" }.first { files.isExecutableFile(atPath: $0) }
    }
}

#if canImport(Darwin)
private typealias SpawnActions = posix_spawn_file_actions_t?
private typealias SpawnAttributes = posix_spawnattr_t?
#else
private typealias SpawnActions = posix_spawn_file_actions_t
private typealias SpawnAttributes = posix_spawnattr_t
#endif

/// Calls `body` with spawn settings: a process group of its own, no signals blocked or ignored, and
/// only these three descriptors.
private func withSpawnSettings(
    _ descriptors: [Int32],
    _ body: (UnsafePointer<SpawnActions>, UnsafePointer<SpawnAttributes>) -> Int32
) -> Int32 {
    #if canImport(Darwin)
    var actions: SpawnActions
    var attributes: SpawnAttributes
    let closing = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
    var actions = SpawnActions()
    var attributes = SpawnAttributes()
    let closing: Int32 = 0
    #endif
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    for (number, descriptor) in descriptors.enumerated() {
        posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(number))
    }
    farm_spawn_closes_from(&actions, 3)
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    var restored = sigset_t()
    sigemptyset(&restored)
    for signal in [SIGPIPE, SIGINT, SIGTERM, SIGHUP, SIGCHLD] { sigaddset(&restored, signal) }
    posix_spawnattr_setsigdefault(&attributes, &restored)
    posix_spawnattr_setpgroup(&attributes, 0)
    let flags =
        Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGMASK)
        | Int32(POSIX_SPAWN_SETSIGDEF) | closing
    posix_spawnattr_setflags(&attributes, Int16(flags))
    return body(&actions, &attributes)
}

/// Calls `body` with strings as a C array that ends in NULL.
private func withStrings(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in
        buffer.baseAddress.map(body) ?? ENOMEM
    }
}

/// The output and the status of a program that has ended.
package struct ChildResult {
    /// The exit status: 128 + the signal for a program that a signal ended.
    package var status: Int32
    package var output: String
    package var errors: String
}

extension ChildProgram {
    /// The largest number of bytes of standard error that are kept, and of standard output unless
    /// the caller sets another limit.
    ///
    /// Further output is read and dropped.
    package static let outputBytesMax = 1 << 20

    package enum Ending {
        case done(ChildResult)
        /// The program was ended: silent for `stallSeconds`, or running longer than `secondsMax`.
        case silent
    }

    /// Runs a program to its end with `input` as its standard input.
    ///
    /// A program that works for long must show progress on standard error: after `stallSeconds` of
    /// silence it is ended.
    package static func run(
        _ words: [String],
        environment: [String: String],
        input: Data = Data(),
        stallSeconds: Int,
        secondsMax: Int,
        outputBytesMax: Int = ChildProgram.outputBytesMax
    ) throws -> Ending {
        let file = try UnlinkedFile(holding: input)
        let streams = [Pipe(), Pipe()]
        let child = try ChildProgram(
            words,
            environment: environment,
            input: file.handle,
            output: streams[0].fileHandleForWriting,
            errors: streams[1].fileHandleForWriting
        )
        for stream in streams { try stream.fileHandleForWriting.close() }
        var said = [Data(), Data()]
        let keptMax = [outputBytesMax, Self.outputBytesMax]
        var open = [0, 1]
        let limit = ContinuousClock.now + .seconds(secondsMax)
        while !open.isEmpty {
            var polled = open.map {
                pollfd(
                    fd: streams[$0].fileHandleForReading.fileDescriptor,
                    events: Int16(POLLIN),
                    revents: 0
                )
            }
            let ready = poll(&polled, nfds_t(polled.count), Int32(stallSeconds * 1_000))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0, ContinuousClock.now < limit else {
                child.end()
                return .silent
            }
            for (stream, poll) in zip(open, polled) where poll.revents != 0 {
                let bytes = readSome(poll.fd)
                if bytes.isEmpty { open.removeAll { $0 == stream } }
                said[stream].append(bytes.prefix(keptMax[stream] - said[stream].count))
            }
        }
        guard let status = child.status(within: Double(stallSeconds)) else {
            child.end()
            return .silent
        }
        let texts = said.map { String(decoding: $0, as: UTF8.self) }
        return .done(ChildResult(status: status, output: texts[0], errors: texts[1]))
    }
}

/// Reads the available bytes, at most 64 KiB; returns no bytes at the end and after an error.
package func readSome(_ descriptor: Int32) -> Data {
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count < 0, errno == EINTR { continue }
        return Data(buffer.prefix(max(count, 0)))
    }
}

/// A file without a name, which the system removes when it is closed.
private struct UnlinkedFile {
    let handle: FileHandle

    init(holding bytes: Data) throws {
        let folder = FileManager.default.temporaryDirectory.path
        var template = Array("\(folder)/snapfarm-input-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        guard descriptor >= 0 else {
            throw GitError.system(
                doing: "make a file in \(folder)",
                reason: String(cString: strerror(errno))
            )
        }
        unlink(template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try handle.write(contentsOf: bytes)
        try handle.seek(toOffset: 0)
    }
}
