// Tests that a child process ends once, and that no process of its tree outlives it.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("child processes")
struct ChildProcessTests {
    private func shell(_ script: String, in folder: TemporaryFolder) -> ChildProcess {
        ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", script],
            environment: ["PATH": "/usr/bin:/bin"],
            folder: folder.path
        )
    }

    /// Checks that processes are gone whose pids a script wrote with `echo $! > name`.
    private func expectGone(
        _ folder: TemporaryFolder,
        _ names: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        for name in names {
            let text = try String(contentsOfFile: folder.file(name), encoding: .utf8)
            let pid = try #require(Int32(text.trimmingCharacters(in: .whitespacesAndNewlines)))
            #expect(kill(pid, 0) == -1, "\(name) lives", sourceLocation: sourceLocation)
        }
    }

    @Test(
        "the ending tells an exit status from a signal",
        arguments: [
            ("exit 0", ChildEnding.exited(0)), ("exit 3", .exited(3)),
            ("kill -9 $$", .signalled(9)),
            ("kill -SEGV $$", .signalled(11)),
        ]
    )
    func endings(script: String, ending: ChildEnding) async throws {
        let folder = try TemporaryFolder()
        #expect(try await shell(script, in: folder).run() == ending)
    }

    @Test("the child sees exactly the given environment and its cookie")
    func environment() async throws {
        let folder = try TemporaryFolder()
        var child = ChildProcess(
            executable: "env",
            arguments: [],
            environment: ["PATH": "/usr/bin:/bin", "A": "1 2"],
            folder: folder.path
        )
        child.log = folder.file("log")
        #expect(try await child.run() == .exited(0))
        let lines = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
            .split(separator: "\n").filter { !$0.hasPrefix("SNAPFARM_COOKIE=") }.sorted()
        #expect(lines == ["A=1 2", "PATH=/usr/bin:/bin"])
    }

    @Test("both outputs reach the receiver whole, and the log holds them")
    func output() async throws {
        let folder = try TemporaryFolder()
        var child = shell("head -c 300000 /dev/zero; echo oops >&2", in: folder)
        child.log = folder.file("log")
        let seen = Mutex<[ChildStream: Int]>([:])
        let ending = try await child.run { kind, bytes in
            seen.withLock { $0[kind, default: 0] += bytes.count }
        }
        #expect(ending == .exited(0))
        #expect(seen.withLock { $0 } == [.standardOutput: 300_000, .standardError: 5])
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("log"))).count == 300_005)
    }

    @Test("joined outputs keep the order in which they were printed")
    func joined() async throws {
        let folder = try TemporaryFolder()
        var child = shell("echo a; echo b >&2; echo c; echo d >&2", in: folder)
        child.joinsOutputs = true
        child.log = folder.file("log")
        _ = try await child.run()
        #expect(try String(contentsOfFile: folder.file("log"), encoding: .utf8) == "a\nb\nc\nd\n")
    }

    @Test("standard input is given whole, and need not be read", arguments: [true, false])
    func input(isRead: Bool) async throws {
        let folder = try TemporaryFolder()
        var child = shell(isRead ? "wc -c" : "exit 0", in: folder)
        child.input = .bytes(Array(repeating: 65, count: 1_000_000))
        child.log = folder.file("log")
        #expect(try await child.run() == .exited(0))
        let printed = try String(contentsOfFile: folder.file("log"), encoding: .utf8)
        #expect(printed == (isRead ? "1000000\n" : ""))
    }

    @Test("a program that is not there is refused by name")
    func missingProgram() async throws {
        let folder = try TemporaryFolder()
        var child = shell("", in: folder)
        child.executable = "no-such-program"
        await #expect(throws: DriverError.programMissing("no-such-program")) {
            try await child.run()
        }
        child.folder = folder.file("nowhere")
        await #expect(throws: DriverError.folderMissing(folder.file("nowhere"))) {
            try await child.run()
        }
    }

    @Test("a flood ends the child at the limit")
    func flood() async throws {
        let folder = try TemporaryFolder()
        var child = shell("yes & echo $! > yes.pid; wait", in: folder)
        child.outputBytesMax = 100_000
        child.log = folder.file("log")
        #expect(try await child.run() == .flooded)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.file("log"))).count == 100_000)
        try expectGone(folder, ["yes.pid"])
    }

    @Test("the time limit ends a child that ignores SIGTERM, and its children")
    func timeLimit() async throws {
        let folder = try TemporaryFolder()
        var child = shell(
            "trap '' TERM; sleep 60 & echo $! > sleep.pid; echo $$ > sh.pid; wait; sleep 60",
            in: folder
        )
        child.timeLimitSeconds = 0.3
        #expect(try await child.run() == .timedOut)
        try expectGone(folder, ["sleep.pid", "sh.pid"])
    }

    @Test("a child that closed its outputs is still under the time limit")
    func closedOutputs() async throws {
        let folder = try TemporaryFolder()
        var child = shell("echo $$ > sh.pid; exec >&- 2>&-; sleep 60", in: folder)
        child.timeLimitSeconds = 0.3
        #expect(try await child.run() == .timedOut)
        try expectGone(folder, ["sh.pid"])
    }

    @Test(
        "what a child leaves in the background ends with it",
        arguments: [
            "sleep 86400 & echo $! > left.pid",
            "setsid sh -c 'echo $$ > left.pid; exec sleep 86400' & until [ -s left.pid ]; do :; done",
            "set -m; sleep 86400 & echo $! > left.pid",
            "(setsid setsid sh -c 'echo $$ > left.pid; sleep 86400 & wait' &) ;"
                + " until [ -s left.pid ]; do :; done",
        ]
    )
    // A wait for the child's leftovers would take a day.
    func leftovers(script: String) async throws {
        let folder = try TemporaryFolder()
        #expect(try await shell(script, in: folder).run() == .exited(0))
        try expectGone(folder, ["left.pid"])
    }

    @Test("a cancelled task ends the tree before it returns")
    func cancel() async throws {
        let folder = try TemporaryFolder()
        let child = shell(
            "setsid sleep 60 & echo $! > left.pid; echo $$ > sh.pid; echo go; wait",
            in: folder
        )
        let result = await withTaskGroup(of: Result<ChildEnding, any Error>?.self) { group in
            let (ready, go) = AsyncStream<Void>.makeStream()
            group.addTask {
                do {
                    return .success(try await child.run { _, _ in go.finish() })
                } catch { return .failure(error) }
            }
            for await _ in ready {}
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(throws: CancellationError.self) { try result?.get() }
        try expectGone(folder, ["left.pid", "sh.pid"])
    }

    @Test("what the receiver throws ends the child and is thrown")
    func receiverThrows() async throws {
        struct Enough: Error {}
        let folder = try TemporaryFolder()
        await #expect(throws: Enough.self) {
            try await shell("echo $$ > sh.pid; echo; sleep 60", in: folder).run { _, _ in
                throw Enough()
            }
        }
        try expectGone(folder, ["sh.pid"])
    }

    @Test("one child's end leaves the daemons of another alone")
    func neighbours() async throws {
        let folder = try TemporaryFolder()
        let first = shell(
            "setsid sh -c 'echo $$ > d.pid; exec sleep 60' & until [ -s d.pid ]; do :; done;"
                + " echo ready; sleep 60",
            in: folder
        )
        let second = shell("true", in: folder)
        let (ready, go) = AsyncStream<Void>.makeStream()
        let say: ChildOutput = { _, _ in go.finish() }
        try await first.withRunning(onOutput: say) { child in
            for await _ in ready {}
            for _ in 0..<5 { _ = try await second.run() }
            let pid = try String(contentsOfFile: folder.file("d.pid"), encoding: .utf8)
            #expect(kill(try #require(Int32(pid.dropLast())), 0) == 0)
            #expect(child.endedAlready == nil)
        }
        try expectGone(folder, ["d.pid"])
    }

    @Test(
        "a process that took off its mark and left its session ends with its test, also beside another",
        arguments: ["env -i", "env -i A=b"]
    )
    func unmarked(clears: String) async throws {
        let folder = try TemporaryFolder()
        let script = """
            (\(clears) /usr/bin/setsid /bin/sh -c 'echo $$ >left.pid; exec /bin/sleep 86400' &)
            until [ -s left.pid ]; do :; done
            """
        let test = shell(script, in: folder)
        try await shell("echo $$ > other.pid; sleep 60", in: folder).withRunning { other in
            #expect(try await test.run() == .exited(0))
            try expectGone(folder, ["left.pid"])
            #expect(other.endedAlready == nil)
        }
    }

    @Test("a running child tells its ending to all who wait, and who is cancelled waits no more")
    func running() async throws {
        let folder = try TemporaryFolder()
        let endings = try await shell("exit 4", in: folder).withRunning { child in
            async let first = child.ending()
            async let second = child.ending()
            return try await [first, second]
        }
        #expect(endings == [.exited(4), .exited(4)])
        try await shell("echo $$ > sh.pid; exec sleep 60", in: folder).withRunning { child in
            await withTaskGroup(of: Void.self) { group in
                group.addTask { _ = try? await child.ending() }
                group.cancelAll()
            }
            while !FileManager.default.fileExists(atPath: folder.file("sh.pid")) {
                await Task.yield()
            }
        }
        try expectGone(folder, ["sh.pid"])
    }
}
