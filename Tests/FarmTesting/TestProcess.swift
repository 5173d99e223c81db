// Programs that tests start, by posix_spawn(2). Foundation's Process detects an end by a descriptor
// that children of other tests, started at the same moment, inherit; then it waits for all of them.
// Invariants: a child inherits only its three standard descriptors, and every wait has a limit.
// Much of this is also in the product's own ChildProgram: the judge of the product must not share
// its faults.
import CFarmShims
import Foundation

/// The status and output of a program that has ended.
package struct ProcessEnding: Sendable {
    /// The exit status, or 128 plus the signal that ended the program, as in a shell.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Both streams, for messages and for tests that accept either.
    package var said: String { output + errors }
}

/// A program that runs beside the test.
///
/// It is killed with its process group when the value goes away.
package final class TestProcess {
    /// The process id, which is also the id of its process group.
    package let pid: pid_t
    private let folder: TemporaryFolder
    private var status: Int32?

    /// The error for a program that could not be started.
    package struct CannotStart: Error {
        package let program: String
        package let reason: String
    }

    /// Starts a program found on this process's PATH, or named by its path.
    ///
    /// `environment` is the program's whole environment, or `nil` for this process's. Its standard
    /// input is empty.
    package init(
        _ words: [String],
        environment: [String: String]? = nil,
        in workFolder: String? = nil
    ) throws {
        folder = try TemporaryFolder("process")
        let program = words.first ?? ""
        var actions = noSpawnActions
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        for (number, name) in [(Int32(1), "output"), (2, "errors")] {
            let path = try folder.write(name, "")
            posix_spawn_file_actions_addopen(&actions, number, path, O_WRONLY | O_APPEND, 0)
        }
        if let workFolder { _ = farm_spawn_starts_in(&actions, workFolder) }
        farm_spawn_closes_from(&actions, 3)
        var attributes = noSpawnAttributes
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setpgroup(&attributes, 0)
        // Signals that this process ignores, such as SIGPIPE, must not be ignored by the program.
        var every = sigset_t()
        sigfillset(&every)
        posix_spawnattr_setsigdefault(&attributes, &every)
        let flags = POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF
        posix_spawnattr_setflags(&attributes, Int16(flags) | closesByDefault)
        let variables = environment ?? ProcessInfo.processInfo.environment
        var started: pid_t = 0
        let code = withStrings(words) { words in
            withStrings(variables.map { "\($0.key)=\($0.value)" }) { variables in
                posix_spawnp(&started, program, &actions, &attributes, words, variables)
            }
        }
        guard code == 0 else {
            throw CannotStart(program: program, reason: String(cString: strerror(code)))
        }
        pid = started
    }

    deinit { kill() }

    /// Runs a program to its end.
    ///
    /// After `seconds` it is killed, with status 137.
    package static func run(
        _ words: [String],
        environment: [String: String]? = nil,
        in workFolder: String? = nil,
        seconds: Double = 120
    ) throws -> ProcessEnding {
        try TestProcess(words, environment: environment, in: workFolder).ending(within: seconds)
    }

    package var isRunning: Bool { poll() == nil }

    /// The standard output so far.
    package var output: String { text("output") }

    /// The standard error so far.
    package var errors: String { text("errors") }

    /// Both streams so far.
    package var said: String { output + errors }

    /// Waits for the program's end, and kills it after `seconds`.
    package func ending(within seconds: Double) -> ProcessEnding {
        if !wait(seconds: seconds, until: { !isRunning }) { kill() }
        return ProcessEnding(status: status ?? 255, output: output, errors: errors)
    }

    /// Waits until a condition is true; returns `false` after `seconds`.
    package func wait(seconds: Double, until condition: () -> Bool) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        var pause: UInt32 = 500
        while !condition() {
            guard ContinuousClock.now < limit else { return false }
            usleep(pause)
            pause = min(pause * 2, 20_000)
        }
        return true
    }

    /// Kills the program and its process group by SIGKILL.
    package func kill() {
        guard poll() == nil else { return }
        killpg(pid, SIGKILL)
        _ = wait(seconds: 10) { poll() != nil }
    }

    private func poll() -> Int32? {
        guard status == nil else { return status }
        var word: Int32 = 0
        let ended = waitpid(pid, &word, WNOHANG)
        if ended == pid {
            let signal = word & 0x7F
            status = signal == 0 ? (word >> 8) & 0xFF : 128 + signal
        } else if ended < 0, errno != EINTR {
            status = 255
        }
        return status
    }

    private func text(_ name: String) -> String {
        String(
            decoding: FileManager.default.contents(atPath: folder.file(name)) ?? Data(),
            as: UTF8.self
        )
    }
}

#if canImport(Darwin)
private var noSpawnActions: posix_spawn_file_actions_t? { nil }
private var noSpawnAttributes: posix_spawnattr_t? { nil }
private let closesByDefault = Int16(POSIX_SPAWN_CLOEXEC_DEFAULT)
#else
private var noSpawnActions: posix_spawn_file_actions_t { posix_spawn_file_actions_t() }
private var noSpawnAttributes: posix_spawnattr_t { posix_spawnattr_t() }
private let closesByDefault: Int16 = 0
#endif

/// Passes strings as a C array that ends with NULL.
private func withStrings(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? ENOMEM }
}
