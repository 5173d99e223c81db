// Tests of isolated children with a real bubblewrap: what they see, what they can write, how they
// end, and how a worker refuses to isolate.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

private let isUsable = TestBubblewrap.isUsable
private let absence = Comment(rawValue: TestBubblewrap.absence)

@Suite("isolated children", .enabled(if: isUsable, absence))
struct IsolationTests {
    private let isolation: Isolation
    private let folder: TemporaryFolder
    private let folders: LeaseFolders

    init() throws {
        isolation = try Isolation(Isolation.Wish(), environment: testEnvironment)
        folder = try TemporaryFolder("isolated")
        folders = LeaseFolders(in: folder.file("scratch"))
        try folder.write("scratch/lease/own", "")
        try folder.write("tree/one", "one")
        try folder.write("tree/below/two", "two")
        try folder.write("secret", "secret")
    }

    private func shell(
        _ script: String,
        isTreeShared: Bool = false,
        by isolation: Isolation? = nil
    ) throws -> ChildProcess {
        var folders = folders
        folders.isTreeShared = isTreeShared
        let given = shard(
            .command(CommandSettings(discover: "", run: "")),
            tests: [],
            workTree: folder.file("tree")
        )
        var child = ChildProcess(
            executable: "/bin/sh",
            arguments: ["-c", script],
            environment: testEnvironment.merging(["XDG_CACHE_HOME": "/x"]) { $1 },
            folder: folder.file("tree")
        )
        child.enclosure = try (isolation ?? self.isolation).enclosure(given, folders)
        child.joinsOutputs = true
        child.timeLimitSeconds = 30
        return child
    }

    private func run(
        _ script: String,
        isTreeShared: Bool = false
    ) async throws -> (ending: ChildEnding, output: String) {
        let box = ByteBox()
        let child = try shell(script, isTreeShared: isTreeShared)
        let ending = try await child.run { _, bytes in box.append(bytes) }
        return (ending, String(decoding: box.bytes, as: UTF8.self))
    }

    // MARK: ends

    @Test(
        "end as free ones do",
        arguments: [
            ("exit 0", ChildEnding.exited(0)), ("exit 1", .exited(1)), ("exit 77", .exited(77)),
            ("kill -9 $$", .signalled(9)), ("kill -SEGV $$", .signalled(11)),
        ]
    )
    func endings(script: String, ending: ChildEnding) async throws {
        #expect(try await run(script).ending == ending)
    }

    @Test("that cannot be started are no failed tests")
    func notStarted() async throws {
        var child = try shell("exit 0")
        child.executable = try folder.write("program", "#!/bin/sh\n")
        chmod(child.executable, 0o755)
        let error = await #expect(throws: DriverError.self) { try await child.run() }
        #expect(error?.message.contains("program") == true, "\(String(describing: error))")
    }

    @Test(
        "end with all that they started, whatever that did to stay",
        arguments: [
            "exit 0", "sleep 60", "trap '' TERM; while :; do sleep 1; done",
        ]
    )
    func leftovers(end: String) async throws {
        let beat = "while :; do echo >>\(folders.lease)/beat; sleep 0.02; done"
        var child = try shell(
            "env -i /bin/setsid /bin/sh -c 'trap \"\" TERM HUP; \(beat)' >/dev/null 2>&1 & "
                + "sleep 0.3; \(end)"
        )
        child.timeLimitSeconds = end == "exit 0" ? 30 : 2
        let ending = try await child.run()
        #expect(ending == (end == "exit 0" ? .exited(0) : .timedOut))
        let count = try Data(contentsOf: URL(fileURLWithPath: folders.lease + "/beat")).count
        #expect(count > 0)
        try await Task.sleep(for: .milliseconds(300))
        let later = try Data(contentsOf: URL(fileURLWithPath: folders.lease + "/beat")).count
        #expect(later == count)
    }

    @Test("cannot hold the farm up by forking without end")
    func storm() async throws {
        // Bounded by its own count, because root has no limit of processes.
        let script = """
            import os, time
            made = 0
            while made < 1500:
                try:
                    if os.fork() == 0:
                        os.setsid()
                        time.sleep(600)
                except OSError:
                    break
                made += 1
            time.sleep(600)
            """
        var child = try shell("exec python3 -c '\(script)'")
        child.timeLimitSeconds = 4
        #expect(try await child.run() == .timedOut)
        let left = try await outside("pgrep -fc '[m]ade < 1500'")
        #expect(left == "0\n")
    }

    /// Returns the output of a free child.
    private func outside(_ script: String) async throws -> String {
        let box = ByteBox()
        var child = try shell(script)
        child.enclosure = nil
        _ = try await child.run { _, bytes in box.append(bytes) }
        return String(decoding: box.bytes, as: UTF8.self)
    }

    // MARK: what they see

    @Test("have a home and a temporary folder of the lease, and no folder of the user")
    func home() async throws {
        let said = try await run(
            "echo $HOME $TMPDIR [$XDG_CACHE_HOME]; cd; touch a $TMPDIR/b /tmp/c"
        )
        let own = folders.own
        #expect(said.output == "\(own)/home \(own)/tmp []\n")
        #expect(FileManager.default.fileExists(atPath: "\(own)/home" + "/a"))
        #expect(FileManager.default.fileExists(atPath: own + "/tmp/b"))
        #expect(!FileManager.default.fileExists(atPath: "/tmp/c"))
    }

    @Test("see their lease and the tools, and no other file, process or name")
    func view() async throws {
        let said = try await run(
            """
            for path in \(folder.file("secret")) \(folder.file("scratch/lease.log")) /etc/shadow \
              /root /home /var/lib /run /sys /etc/ssl/private /etc/ssh; do
              [ ! -e $path ] || echo "sees $path"
            done
            for path in /usr/x /etc/x /bin/x /x /etc/passwd; do
              (: >>$path) 2>/dev/null && echo "writes $path"
            done
            (: >>/proc/sys/kernel/core_pattern) 2>/dev/null && echo writes the kernel
            ls -d /proc/[0-9]* | wc -l
            [ -e \(folders.lease)/own ] && [ -w /dev/shm ] && [ -w /dev/null ] && cat one
            """
        )
        let lines = said.output.split(separator: "\n")
        #expect(lines.last == "one" && lines.count == 2, "\(said.output)")
        // The shell, ls, wc, and bubblewrap around them.
        #expect(lines.first.flatMap { Int($0) }.map { $0 <= 6 } == true, "\(said.output)")
    }

    @Test("have the variables of their job, and bubblewrap around them has none")
    func variables() async throws {
        // With this variable a program prints its libraries and ends.
        var child = try shell("echo no")
        child.environment["LD_TRACE_LOADED_OBJECTS"] = "1"
        let box = ByteBox()
        #expect(try await child.run { _, bytes in box.append(bytes) } == .exited(0))
        let output = String(decoding: box.bytes, as: UTF8.self)
        #expect(output.contains("libc.so") && !output.contains("libcap"), "\(output)")
        #expect(try await run("echo \"$LANG\" \"$CI_SECRET\"").output == "C.UTF-8 secret\n")
    }

    @Test("see their tree at the path of its build, and nothing is made there")
    func place() async throws {
        var folders = folders
        folders.tree = folder.file("tree")
        for place in ["/somewhere/else", folder.file("place"), "/proc/1/root" + "/oldroot/tmp/x"] {
            let given = shard(
                .command(CommandSettings(discover: "", run: "")),
                tests: [],
                workTree: place
            )
            var child = try shell("cat one")
            child.folder = place
            child.enclosure = try isolation.enclosure(given, folders)
            let box = ByteBox()
            let ending = try? await child.run { _, bytes in box.append(bytes) }
            let isSeen = ending == .exited(0) && box.bytes == Array("one".utf8)
            #expect(isSeen == !place.hasPrefix("/proc"), "\(place)")
            #expect(fileKind(place) == .none, "\(place)")
        }
        #expect(fileKind("/tmp/x") == .none)
    }

    @Test("write the tree that is theirs alone")
    func ownTree() async throws {
        #expect(try await run("echo new >one; echo more >below/more").ending == .exited(0))
        #expect(try String(contentsOfFile: folder.file("tree/one"), encoding: .utf8) == "new\n")
        #expect(FileManager.default.fileExists(atPath: folder.file("tree/below/more")))
    }

    @Test("change no file of a tree that others use, and keep beside it what they add")
    func sharedTree() async throws {
        try FileManager.default.createSymbolicLink(
            atPath: folder.file("tree/link"),
            withDestinationPath: "below/two"
        )
        for _ in 0..<2 {
            let said = try await run(
                """
                cat link; mkdir made && echo a >made/file && cat made/file
                for path in one link below/more; do (echo bad >$path) 2>/dev/null && echo "wrote $path"; done
                rm -rf one below link made 2>/dev/null; mv below b 2>/dev/null; ls
                """,
                isTreeShared: true
            )
            #expect(said.output == "twoa\nbelow\none\n", "\(said)")
        }
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.file("tree")).sorted()
        #expect(left == ["below", "link", "one"])
        let own = try FileManager.default.contentsOfDirectory(atPath: folders.own).sorted()
        #expect(own == ["home", "lease", "tmp"])
        #expect(try String(contentsOfFile: folder.file("tree/one"), encoding: .utf8) == "one")
    }

    @Test("leave no link that would lead the worker out of their results")
    func links() async throws {
        let lease = folders.lease
        let said = try await run(
            """
            cd \(lease); mkdir -p in/closed; echo a >in/file
            ln -s \(folder.file("secret")) in/a.png; ln -s /etc tree; ln -s \(folder.path)/none new
            ln -s / in/closed/root; ln -s in/file inner; ln -s \(folder.file("tree")) sources
            ln -s ../../secret t2; chmod 0311 in/closed
            """
        )
        #expect(said.ending == .exited(0), "\(said)")
        let names = try #require(FileManager.default.enumerator(atPath: lease))
            .compactMap { $0 as? String }
        let links = names.filter { fileKind("\(lease)/\($0)") == .link }.sorted()
        #expect(
            links
                == ["in/a.png", "in/closed/root", "inner", "new", "sources", "t2", "tree"]
        )
        #expect(links.filter { realPath("\(lease)/\($0)") != nil } == ["inner", "sources"])
    }

    // MARK: the network

    @Test("with no network have a loopback of their own")
    func loopback() async throws {
        let wish = Isolation.Wish(network: .loopback)
        let alone = try Isolation(wish, environment: testEnvironment)
        let listener = try await FolderServer.start(folder.file("tree"), fallback: nil)
        let script = """
            import http.server, threading, urllib.request as r
            s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
            threading.Thread(target=s.serve_forever, daemon=True).start()
            print(r.urlopen("http://127.0.0.1:%d/one" % s.server_port).read().decode())
            try: print(r.urlopen("\(listener.address)one").read().decode())
            except OSError: print("refused")
            """
        for (isolation, words) in [(alone, "one\nrefused\n"), (self.isolation, "one\none\n")] {
            let box = ByteBox()
            let path = try folder.write("scratch/lease/net.py", script)
            let ending = try await shell("python3 \(path) 2>&1 | grep -v HTTP", by: isolation).run {
                box.append($1)
            }
            let output = String(decoding: box.bytes, as: UTF8.self)
            #expect(ending == .exited(0) && output == words, "\(output)")
        }
        await listener.stop()
    }

    // MARK: refusals

    @Test("one trial tells that this machine can isolate them")
    func trial() async throws {
        let tried = try await Isolation.tried(Isolation.Wish(), environment: testEnvironment)
        #expect(tried == isolation)
    }

    @Test("a machine that cannot isolate is told so, with the words of bubblewrap")
    func refusals() async throws {
        let words = "bwrap: No permissions to create new namespace"
        try folder.write("bin/bwrap", "#!/bin/sh\necho '\(words)' >&2\nexit 1\n")
        chmod(folder.file("bin/bwrap"), 0o755)
        var environment = testEnvironment
        environment["PATH"] = folder.file("bin")
        let refused = await #expect(throws: IsolationError.self) {
            try await Isolation.tried(Isolation.Wish(), environment: environment)
        }
        #expect(refused == .refused(reason: words))
        environment["PATH"] = folder.path
        await #expect(throws: IsolationError.programMissing) {
            try await Isolation.tried(Isolation.Wish(), environment: environment)
        }
    }

    @Test("tools outside the system are shown where they are named, and never the user's home")
    func tools() async throws {
        try folder.write("sdk/tool", "tool")
        try folder.write("home/user/file", "")
        var environment = testEnvironment
        environment["HOME"] = folder.file("home/user")
        environment["JAVA_HOME"] = folder.file("home")
        let wish = Isolation.Wish(tools: [folder.file("sdk")])
        let wide = try Isolation(wish, environment: environment)
        #expect(wide.shows(folder.file("sdk/tool")) && !wide.shows(folder.file("home")))
        let box = ByteBox()
        _ = try await shell("cat \(folder.file("sdk/tool"))", by: wide).run { box.append($1) }
        #expect(box.bytes == Array("tool".utf8))
        for path in ["/", folder.path, folder.file("home/user")] {
            #expect(throws: IsolationError.toolTooWide(path)) {
                try Isolation(Isolation.Wish(tools: [path]), environment: environment)
            }
        }
        #expect(throws: IsolationError.toolMissing("/none")) {
            try Isolation(Isolation.Wish(tools: ["/none"]), environment: environment)
        }
    }
}
