// Tests of a job that CI cancels without time to clean up. The remaining processes are found by the
// temporary folder in their environment.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Jobs killed at once", .serialized)
    struct KilledAtOnceTests {
        /// A run that draws a page, and has a test that leaves its process group and never ends.
        private struct Job {
            let project: Project
            let temporary: String
            let running: TestProcess

            init() throws {
                project = try Project(devices: ["A"], units: 1, testLimit: "100s")
                try LocalScenes.add(to: project, pages: 3, holding: true)
                temporary = project.folder.file("temporary")
                try FileManager.default.createDirectory(
                    atPath: temporary,
                    withIntermediateDirectories: true
                )
                try project.folder.write(
                    "act-unit",
                    "(setsid sh -c 'echo >begun; sleep 1000; :' &); sleep 1000; :"
                )
                running = try project.program(["TMPDIR": temporary])
                    .start(["run", "app.yaml", "--mode", "record", "--workers", "3"])
                let begun = running.wait(seconds: 60) {
                    project.exists("begun")
                        && (!LocalScenes.haveBrowser
                            || processes(with: temporary, named: "headle").count > 1)
                }
                #expect(begun, "\(running.said)")
            }

            /// Returns the processes that the run has started, including itself.
            func alive(_ name: String = "") -> [Int32] { processes(with: temporary, named: name) }

            var folders: [String] {
                ((try? FileManager.default.contentsOfDirectory(atPath: temporary)) ?? [])
                    .filter { $0.hasPrefix("snapfarm-") }
            }
        }

        @Test("nothing of a run outlives its kill, whatever left its group; folders go next time")
        func runAndWorkers() throws {
            let job = try Job()
            let farm = job.alive("snapfarm")
            #expect(farm.count == 4 && job.alive().count > farm.count)
            // Stops all at once, so that no worker notices the end of its run.
            for process in farm { kill(process, SIGSTOP) }
            for process in farm { kill(process, SIGKILL) }
            #expect(
                job.running.wait(seconds: 10) { job.alive().isEmpty },
                "\(job.alive().map(describe))"
            )
            #expect(job.folders.isEmpty != LocalScenes.haveBrowser)
            try job.project.folder.write("act-unit", "exit 0")
            let next = try job.project.run(
                ["--select", "job=unit_test"],
                environment: ["TMPDIR": job.temporary]
            )
            #expect(next.status == 0, "\(next.said)")
            #expect(job.folders.isEmpty)
        }

        @Test("what outlives even the guards goes when the next run starts")
        func everything() throws {
            let job = try Job()
            // Stops the guards first, so that none notices the end of another.
            let farm = job.alive("farm-guard") + job.alive("snapfarm")
            for process in farm { kill(process, SIGSTOP) }
            #expect(job.running.wait(seconds: 10) { farm.allSatisfy(isStopped) })
            // After the kill, any run of the machine may end what is left, also another test's.
            #expect(!Set(job.alive()).subtracting(farm).isEmpty)
            for process in farm { kill(process, SIGKILL) }
            _ = job.running.ending(within: 10)
            try job.project.folder.write("act-unit", "exit 0")
            let next = try job.project.run(
                ["--select", "job=unit_test"],
                environment: ["TMPDIR": job.temporary]
            )
            #expect(next.status == 0, "\(next.said)")
            #expect(
                job.running.wait(seconds: 5) { job.alive().isEmpty },
                "\(job.alive().map(describe))"
            )
            #expect(job.folders.isEmpty)
        }

        @Test("a host that only serves is swept when its coordinator starts")
        func served() throws {
            let fleet = try Fleet()
            let temporary = fleet.place.file("temporary")
            fleet.environment["TMPDIR"] = temporary
            // A coordinator that was killed while it called a remote store leaves this.
            let left = "temporary/snapfarm-remote-Kx3Qwa"
            try fleet.place.write(left + "/.snapfarm-owner", "")
            try fleet.place.write(left + "/store.git/HEAD", "ref: refs/heads/main\n")
            try fleet.place.write("temporary/snapfarm-stranger/file", "stays")
            try fleet.serve()
            let names = try FileManager.default.contentsOfDirectory(atPath: temporary)
            #expect(names == ["snapfarm-stranger"])
            #expect(try fleet.stop().status == 0)
        }

        /// Returns whether a process is stopped: the signal takes effect a moment after `kill`.
        private func isStopped(_ pid: Int32) -> Bool {
            let stat = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
            return String(decoding: stat, as: UTF8.self).contains(") T ")
        }

        private func describe(_ pid: Int32) -> String {
            let line = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
            return "\(pid) " + String(decoding: line, as: UTF8.self).replacing("\0", with: " ")
        }
    }
}

/// Returns processes with a text in their environment and a word in their name.
///
/// A zombie has neither.
func processes(with text: String, named word: String = "") -> [Int32] {
    let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return entries.compactMap { Int32($0) }.filter { pid in
        let files = FileManager.default
        guard let name = files.contents(atPath: "/proc/\(pid)/comm"),
            word.isEmpty || name.range(of: Data(word.utf8)) != nil
        else { return false }
        guard let block = files.contents(atPath: "/proc/\(pid)/environ") else {
            return isHidden(pid, name)
        }
        return block.range(of: Data(text.utf8)) != nil
    }
}

/// Returns whether a process shows its environment only to root and this test is not root.
///
/// Then its name must do, since these tests run one at a time.
private func isHidden(_ pid: Int32, _ name: Data) -> Bool {
    var status = stat()
    guard stat("/proc/\(pid)", &status) == 0, status.st_uid == geteuid() else { return false }
    // A zombie has a name and no command line.
    let words = FileManager.default.contents(atPath: "/proc/\(pid)/cmdline") ?? Data()
    return name.starts(with: Data("snapfarm".utf8)) && !words.isEmpty
}

/// Pages that a real browser draws, to test its leftovers; none if there is no browser.
enum LocalScenes {
    static let haveBrowser = [
        "/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromedriver",
    ].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

    /// Adds a job of scenes to a project; `holding` pages never finish loading.
    static func add(to project: Project, pages: Int, holding: Bool = false) throws {
        guard haveBrowser else { return }
        try project.folder.write(
            "app.yaml",
            project.text("app.yaml") + """

                  pages:
                    kind: snapshot
                    driver: webdriver
                    scenes: scenes.yaml
                    timeout: {test: 60s}
                    bundle: ["p*.html"]
                    comparison: {policy: exact}

                """
        )
        let names = (0..<pages).map { "p\($0)" }
        try project.folder.write(
            "scenes.yaml",
            "scenes:\n"
                + names.map { "  - {suite: Pages, name: \($0), file: \($0).html}\n" }.joined()
        )
        let hold = holding ? "<script>for (;;) {}</script>" : ""
        for name in names {
            try project.folder.write("\(name).html", "<!doctype html><p>\(name)\(hold)")
        }
    }
}
