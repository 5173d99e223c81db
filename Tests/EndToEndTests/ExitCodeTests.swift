import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Exit codes and what is said", .serialized)
    struct ExitCodeTests {
        @Test(
            "a pipeline file that cannot be used ends in 65 and says where and how to mend it",
            arguments: [
                (nil, "cannot be read"),
                ("", "the file is empty"),
                ("a: [b", "not YAML"),
                ("version: 1\njobbs: {}", "Did you mean \"jobs\"?"),
                (
                    "version: 1\ndevices: [iPhone 88]\njobs: {u: {kind: unit, driver: swiftpm, package: P}}",
                    "unknown device"
                ),
                (
                    "version: 1\ndevices: [iPhone XR, iPhone Xʀ]\njobs: {u: {kind: unit, driver: swiftpm, package: P}}",
                    "same cell"
                ),
            ] as [(String?, String)]
        )
        func badPipelines(text: String?, words: String) throws {
            let project = try Project()
            if let text {
                try project.folder.write("app.yaml", text)
            } else {
                try FileManager.default.removeItem(atPath: project.folder.file("app.yaml"))
            }
            let result = try project.run()
            #expect(result.status == 65)
            #expect(result.errors.contains(words), "\(result.said)")
            #expect(!project.exists(".snapfarm"))
        }

        @Test("no test discovered, and a discovery that fails, end in 2 and leave a summary")
        func discovery() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("units", "")
            let empty = try project.run()
            #expect(empty.status == 2)
            #expect(empty.errors.contains("no test case"))
            #expect(try project.summary().problems.map(\.code) == ["no-tests"])
            try FileManager.default.removeItem(atPath: project.folder.file("units"))
            let failed = try project.run()
            #expect(failed.status == 2, "\(failed.said)")
            #expect(try project.summary().state == .incomplete)
        }

        @Test(
            "a test that hangs, floods, dies or leaves a bad picture is errored, and the run goes on",
            arguments: [
                ("sleep 60", "test-timed-out"),
                ("yes xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "test-flooded"),
                ("kill -9 $$", "test-crashed"),
                (
                    "mkdir -p $SNAPFARM_CAPTURE_DIR/Suite; head -c 60 pictures/one.png > $SNAPFARM_CAPTURE_DIR/Suite/two.png",
                    "truncated"
                ),
                (
                    "mkdir -p $SNAPFARM_CAPTURE_DIR/Suite; cp bomb.png $SNAPFARM_CAPTURE_DIR/Suite/two.png",
                    "60000"
                ),
            ]
        )
        func badTests(act: String, words: String) throws {
            let project = try Project(devices: ["A"], testLimit: "3s")
            try project.folder.write("bomb.png", Project.bomb())
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act/two", act)
            let result = try project.run()
            #expect(result.status == 1, "\(result.said)")
            let summary = try project.summary()
            #expect(summary.counts.errored == 1 && summary.counts.passed == 4)
            let test = try #require(summary.tests.first { $0.verdict == .errored })
            #expect(test.test == "two")
            let explained = test.message.lowercased()
            let sign: [String: String] = [
                "test-timed-out": "longer", "test-flooded": "printed more",
                "test-crashed": "sigkill",
            ]
            #expect(explained.contains(sign[words] ?? words), "\(test.message)")
            #expect(processes(naming: project.folder.path).isEmpty)
        }

        @Test("a pin that is not in the store ends in 78 and names the line")
        func pinNotInStore() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            let pin = project.text("snapfarm.refs")
            let lines = pin.split(separator: "\n")
            let wrong = pin.replacingOccurrences(
                of: String(lines[1]),
                with: " " + String(repeating: "a", count: 40)
            )
            try project.folder.write("snapfarm.refs", wrong)
            let result = try project.run()
            #expect(result.status == 78)
            #expect(result.errors.contains("snapfarm.refs:1"), "\(result.said)")
            try project.folder.write("snapfarm.refs", "<<<<<<< HEAD\n" + pin)
            #expect(try project.run().status == 78)
        }

        @Test("two runs in one data folder: the second ends in 75 and names the first")
        func dataFolderBusy() throws {
            let project = try Project()
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("act-unit", "sleep 1")
            let first = try project.program().start(["run", "app.yaml"])
            #expect(first.wait(seconds: 20) { first.errors.contains("workers") })
            let second = try project.run(["--output", "other"])
            #expect(second.status == 75)
            #expect(second.errors.contains("process \(first.pid)"))
            #expect(first.ending(within: 60).status == 0)
        }

        @Test("a port that is taken ends in 75")
        func portTaken() throws {
            let holder = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(holder) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(holder, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            #expect(bound == 0 && listen(holder, 1) == 0)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    _ = getsockname(holder, $0, &length)
                }
            }
            let port = UInt16(bigEndian: address.sin_port)
            let project = try Project()
            let result = try project.run(["--mode", "record", "--port", "\(port)"])
            #expect(result.status == 75, "\(result.said)")
            #expect(result.errors.contains("\(port)"))
            // The workers start before the coordinator listens.
            #expect(processes(naming: project.folder.path).isEmpty)
        }

        @Test("a worker leaves when its run ends before it says where it listens")
        func neverTold() throws {
            let project = try Project()
            let result = try project.program().run(["worker", "--coordinator", "-"])
            #expect(result.status == 75, "\(result.said)")
            #expect(result.errors.contains("is gone"))
        }

        @Test(
            "a full disk ends in 74 and says so",
            .enabled(if: getuid() == 0, "mounting needs root")
        )
        func diskFull() throws {
            let disk = try TemporaryFolder("disk")
            let mount = try Shell.run("mount -t tmpfs -o size=1m tmpfs '\(disk.path)'")
            guard mount == 0 else { return }
            defer { _ = try? Shell.run("umount '\(disk.path)'") }
            let project = try Project()
            _ = try Shell.run("head -c 1000000 /dev/zero > '\(disk.path)/filler' 2>/dev/null")
            let result = try project.run(["--mode", "record", "--data", disk.path + "/data"])
            #expect(result.status == 74, "\(result.said)")
            #expect(result.errors.lowercased().contains("space"))
        }

        @Test(
            "a disk that fills up in the middle of a run ends in 74, and --resume finishes it",
            .enabled(if: getuid() == 0, "mounting needs root")
        )
        func diskFillsUp() throws {
            let disk = try TemporaryFolder("disk")
            guard try Shell.run("mount -t tmpfs -o size=1m tmpfs '\(disk.path)'") == 0 else {
                return
            }
            defer { _ = try? Shell.run("umount -l '\(disk.path)'") }
            let project = try Project(scenes: (0..<24).map { "s\($0)" }, devices: ["A"])
            for scene in 0..<24 {
                let picture = Project.png(shade: UInt8(scene * 10), width: 250, height: 250)
                try project.folder.write("pictures/s\(scene).png", picture)
            }
            let run = ["--mode", "record", "--data", disk.path + "/data"]
            let full = try project.run(run)
            #expect(full.status == 74, "\(full.said)")
            #expect(!project.exists("snapfarm.refs"))
            #expect(try Shell.run("mount -o remount,size=64m '\(disk.path)'") == 0)
            let resumed = try project.run(run + ["--resume"])
            #expect(resumed.status == 0, "\(resumed.said)")
            #expect(try project.summary().counts.passed == 27)
        }

        @Test("verify without any references yet ends in 78 and names the command that makes them")
        func noStore() throws {
            let project = try Project()
            let result = try project.run()
            #expect(result.status == 78)
            #expect(result.errors.contains("--mode record"))
            #expect(try project.run(["--select", "job=unit_test"]).status == 0)
        }

        @Test("unknown words on the command line end in 64")
        func usage() throws {
            let project = try Project()
            #expect(try project.run(["--nonsense"]).status == 64)
            #expect(try project.run(["--select", "colour=red"]).status == 64)
            #expect(try project.run(["--select", "job=nothing"]).status == 2)
        }
    }
}

enum Shell {
    static func run(_ command: String) throws -> Int32 {
        try TestProcess.run(["/bin/sh", "-c", command]).status
    }

    /// Returns the output of a command, without surrounding white space.
    static func output(_ command: String) throws -> String {
        try TestProcess.run(["/bin/sh", "-c", command]).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
