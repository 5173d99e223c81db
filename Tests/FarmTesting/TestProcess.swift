// Programs that tests start, by posix_spawn(2): Foundation's Process learns of an end from a
// descriptor that children started at the same moment by other tests inherit, and then waits for
// all of them. Invariants: a child inherits nothing but its three standard descriptors, and no
// wait is without a limit. Much of this stands in the product's own ChildProgram as well: what
// judges the product must not fail with it.
import CFarmShims
import Foundation

/// How a program ended and what it printed.
package struct ProcessEnding: Sendable {
    /// 128 and the signal for a program that a signal ended, as a shell says it.
    package let status: Int32
    package let output: String
    package let errors: String

    /// Both streams, for messages and for tests that take either.
    package var said: String { output + errors }
}

/// A program that runs beside the test, and is killed with its process group when the value goes.
package final class TestProcess {
    /// Also the id of its process group.
    package let pid: pid_t
    private let folder: TemporaryFolder
    private var status: Int32?

    /// A program that could not be started.
    package struct CannotStart: Error {
        package let program: String
        package let reason: String
    }

    /// Starts a program that is found on this process's PATH, or named by its path.
    ///
    /// `environment` is all it sees; nil: what this process sees. Its standard input is empty.
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
        // What this process ignores (SIGPIPE, say) must not be ignored by the program under test.
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

    /// Runs a program to its end; one that takes longer than `seconds` is killed, status 137.
    package static func run(
        _ words: [String],
        environment: [String: String]? = nil,
        in workFolder: String? = nil,
        seconds: Double = 120
    ) throws -> ProcessEnding {
        try TestProcess(words, environment: environment, in: workFolder).ending(within: seconds)
    }

    package var isRunning: Bool { poll() == nil }

    /// What it printed on standard output up to now.
    package var output: String { text("output") }

    /// What it printed on standard error up to now.
    package var errors: String { text("errors") }

    /// Both streams up to now.
    package var said: String { output + errors }

    /// Waits for its end, and kills it after `seconds`.
    package func ending(within seconds: Double) -> ProcessEnding {
        if !wait(seconds: seconds, until: { !isRunning }) { kill() }
        return ProcessEnding(status: status ?? 255, output: output, errors: errors)
    }

    /// Waits until something is true; false after `seconds`.
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

    /// Ends it and its process group by SIGKILL.
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

/// Lends strings as a C array that ends in NULL.
private func withStrings(
    _ strings: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Int32
) -> Int32 {
    let copies = strings.map { strdup($0) } + [nil]
    defer { for copy in copies { free(copy) } }
    return copies.withUnsafeBufferPointer { buffer in buffer.baseAddress.map(body) ?? ENOMEM }
}
