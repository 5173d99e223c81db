// Tests of `snapfarm watch` as people use it: files are saved, and a real Chromium shows its page.
import FarmTesting
import Foundation
import Testing

/// A process of `snapfarm watch`, with a folder of its own for temporary files.
final class RunningWatch {
    let process: TestProcess
    private let temporary: TemporaryFolder

    init(_ project: Project, _ words: [String] = []) throws {
        temporary = try TemporaryFolder("tmp")
        process = try project.program(["TMPDIR": temporary.path]).start(
            ["watch", "app.yaml", "--no-open"] + words
        )
    }

    /// The number of runs whose result was printed.
    var runs: Int { count("passed: ") + count("failed: ") + count("incomplete: ") }

    func count(_ words: String) -> Int { process.said.components(separatedBy: words).count - 1 }

    func says(_ words: String, times: Int = 1) -> Bool {
        process.wait(seconds: 60) { count(words) >= times || !process.isRunning }
            && process.isRunning
    }

    /// Waits for the one-time address of the page, and opens it.
    func open() throws -> TestBrowser {
        #expect(says("/enter/"), "\(process.said)")
        let address = try #require(process.output.firstMatch(of: /http:\S+/))
        let browser = try TestBrowser()
        try browser.open(String(address.0))
        _ = try browser.text("window.isSamePage = true")
        return browser
    }

    /// The parents of all processes that have not ended.
    private var parents: [Int32: Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        var parents: [Int32: Int32] = [:]
        for pid in entries.compactMap({ Int32($0) }) {
            let bytes = FileManager.default.contents(atPath: "/proc/\(pid)/stat") ?? Data()
            let text = String(decoding: bytes, as: UTF8.self)
            let words = text.components(separatedBy: ") ").last?.split(separator: " ") ?? []
            if words.count > 1, words[0] != "Z", let parent = Int32(words[1]) {
                parents[pid] = parent
            }
        }
        return parents
    }

    /// The processes that this one has started, and those that they have started.
    var descendants: Set<Int32> {
        let parents = parents
        var found: Set<Int32> = [process.pid]
        var isGrowing = true
        while isGrowing {
            let more = parents.filter { found.contains($0.value) && !found.contains($0.key) }.keys
            found.formUnion(more)
            isGrowing = !more.isEmpty
        }
        return found.subtracting([process.pid])
    }

    /// The processes of its browsers.
    var browsers: Set<Int32> {
        descendants.filter { pid in
            let name = FileManager.default.contents(atPath: "/proc/\(pid)/comm") ?? Data()
            return String(decoding: name, as: UTF8.self).hasPrefix("chrom")
        }
    }

    /// Ends the process by a signal, and checks that nothing is left of it.
    func end(by signal: Int32 = SIGINT) {
        let started = descendants
        kill(process.pid, signal)
        let ending = process.ending(within: 30)
        #expect(ending.status == 0, "\(ending.said)")
        #expect(ending.errors.contains("The watch has ended."), "\(ending.said)")
        #expect(!started.isEmpty)
        // Its guard ends after it: it first looks for processes that were left behind.
        for _ in 0..<100 where !started.isDisjoint(with: parents.keys) { usleep(100_000) }
        #expect(started.isDisjoint(with: parents.keys))
        let left = try? FileManager.default.contentsOfDirectory(atPath: temporary.path)
        #expect(left == [], "\(left ?? [])")
    }
}

extension EndToEnd {
    @Suite("Watch", .serialized)
    struct WatchTests {
        /// Makes a project of three pages on two devices, with references; each page has a square of
        /// its own, and all share a style.
        private func site() throws -> Project {
            let project = try Project()
            try project.folder.write("app.yaml", Self.pipeline)
            var scenes = "scenes:\n"
            for name in ["one", "two", "three"] {
                scenes += "  - {suite: S, name: \(name), file: web/\(name).html}\n"
                try save(name, "red", in: project)
            }
            try project.folder.write("web/all.css", "svg { margin: 3px }")
            try project.folder.write("scenes.yaml", scenes)
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            return project
        }

        private static let pipeline = """
            version: 1
            name: app
            references: {store: store.git, pin: snapfarm.refs}
            devices:
              - {name: A, width: 80, height: 60, scale: 1}
              - {name: B, width: 90, height: 60, scale: 1}
            jobs:
              shots: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
            """

        private func save(_ name: String, _ colour: String, in project: Project) throws {
            try project.folder.write(
                "web/\(name).html",
                "<link rel=stylesheet href=all.css><svg width=20 height=20>"
                    + "<rect width=20 height=20 fill=\(colour) /></svg>"
            )
        }

        private static let changes = "document.querySelectorAll('.change').length"
        private static let id = "document.querySelector('.change')?.id"

        @Test(
            "what is saved is on the page, which stays where it is; keys accept, and only they",
            .enabled(if: TestBrowser.isInstalled)
        )
        func saved() throws {
            let project = try site()
            let pin = project.text("snapfarm.refs")
            let watch = try RunningWatch(project, ["--workers", "1"])
            let browser = try watch.open()
            #expect(try browser.text(Self.changes) == "0")
            try save("one", "blue", in: project)
            #expect(try browser.waits(for: Self.changes + " === 1"), "\(watch.process.said)")
            #expect(watch.says("web/one.html: 2 tests"), "\(watch.process.said)")
            #expect(try browser.text(Self.id + ".includes('c-')") == "true")
            let first = try browser.text(Self.id)
            let drivers = watch.browsers
            try save("one", "green", in: project)
            #expect(try browser.waits(for: "\(Self.changes) === 1 && \(Self.id) !== '\(first)'"))
            // A style sheet is read by all pages; what did not change stays as it was judged.
            try project.folder.write("web/all.css", "svg { margin: 9px }")
            #expect(watch.says("web/all.css: 6 tests"), "\(watch.process.said)")
            #expect(try browser.waits(for: Self.changes + " > 1"))
            try project.folder.write("web/all.css", "svg { margin: 3px }")
            #expect(try browser.waits(for: Self.changes + " === 1"))
            let runs = watch.runs
            try project.folder.write("notes.txt", "a note")
            sleep(1)
            #expect(watch.runs == runs && watch.count("notes.txt") == 0, "\(watch.process.said)")
            #expect(project.text("snapfarm.refs") == pin)
            #expect(try browser.text("window.isSamePage") == "true")
            // Browsers are kept; a renderer of their own may come and go.
            #expect(watch.browsers.intersection(drivers).count > drivers.count / 2)

            try browser.press("ja")
            #expect(
                try browser.waits(for: "document.querySelector('.change').dataset.d === 'accepted'")
            )
            #expect(project.text("snapfarm.refs") == pin)
            try browser.press("p" + TestBrowser.enter)
            #expect(try browser.waits(for: Self.changes + " === 0"), "\(watch.process.said)")
            #expect(project.text("snapfarm.refs") != pin)
            #expect(watch.says("snapfarm.refs: 2 tests"), "\(watch.process.said)")
            watch.end()
            let after = try project.run()
            #expect(after.status == 0, "\(after.said)")
            #expect(try project.program().run(["runs"]).column("RUN").count == 2)
        }

        @Test(
            "bursts, mistakes, a deleted page and a killed browser do not end it",
            .enabled(if: TestBrowser.isInstalled)
        )
        func troubles() throws {
            let project = try site()
            let watch = try RunningWatch(project, ["--workers", "1"])
            let browser = try watch.open()
            let found = "document.querySelector('#found').textContent"
            let state = "document.querySelector('h1 .state').textContent"
            #expect(try browser.text(state) == "passed")
            try project.folder.write("app.yaml", Self.pipeline.replacing("jobs:", with: "jubs:"))
            #expect(try browser.waits(for: state + " === 'failed'"), "\(watch.process.said)")
            try project.folder.write("app.yaml", Self.pipeline)
            #expect(try browser.waits(for: state + " === 'passed'"))
            #expect(watch.says("mended; no test is to run."), "\(watch.process.said)")
            var before = watch.runs
            var slowest = 0.0
            var last = Date()
            for number in 0..<12 {
                try save("one", "#00\(10 + number)aa", in: project)
                slowest = max(slowest, -last.timeIntervalSinceNow)
                last = Date()
                usleep(10_000)
            }
            #expect(try browser.waits(for: Self.changes + " === 1"))
            sleep(1)
            // On a busy machine two saves may be so far apart that they are two changes.
            #expect(watch.runs - before <= (slowest < 0.05 ? 1 : 2), "\(watch.process.said)")

            try project.folder.write("app.yaml", Self.pipeline.replacing("jobs:", with: "jbos:"))
            #expect(try browser.waits(for: found + ".includes('jbos')"), "\(watch.process.said)")
            #expect(watch.says("unknown key \"jbos\""), "\(watch.process.said)")
            // A file that is saved meanwhile runs when the mistake is mended.
            let broken = try browser.text(Self.id)
            try save("one", "pink", in: project)
            #expect(watch.says("unknown key \"jbos\"", times: 2), "\(watch.process.said)")
            try project.folder.write("app.yaml", Self.pipeline)
            #expect(try browser.waits(for: "!\(found).includes('jbos')"))
            #expect(try browser.waits(for: "\(Self.id) !== '\(broken)'"))

            let two = project.text("web/two.html")
            try FileManager.default.removeItem(atPath: project.folder.file("web/two.html"))
            #expect(try browser.waits(for: found + ".includes('page-not-found')"))
            try project.folder.write("web/two.html", two)
            #expect(try browser.waits(for: "!\(found).includes('page-not-found')"))

            for pid in watch.browsers { kill(pid, SIGKILL) }
            before = watch.runs
            let first = try browser.text(Self.id)
            try save("one", "yellow", in: project)
            #expect(try browser.waits(for: "\(Self.changes) === 1 && \(Self.id) !== '\(first)'"))
            #expect(watch.says("shown", times: before), "\(watch.process.said)")

            // The scene goes, and its picture is missing.
            let scenes = project.text("scenes.yaml").split(separator: "\n").dropLast()
            try project.folder.write("scenes.yaml", scenes.joined(separator: "\n") + "\n")
            #expect(try browser.waits(for: "document.body.textContent.includes('three')"))
            watch.end()
        }

        @Test(
            "tests without pictures run at each change of their inputs, and once for many changes"
        )
        func units() throws {
            let project = try Project(units: 2)
            let log = try TemporaryFolder("log")
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: app
                jobs:
                  unit:
                    kind: unit
                    driver: command
                    discover: cat units
                    run: sh test.sh {tests}
                    inputs: ["src/**"]
                    env: {LOG: \(log.file("log"))}
                """
            )
            try project.folder.write("src/a", "a")
            try project.folder.write("act-unit", "sleep 0.5; echo run >> $LOG\n")
            let watch = try RunningWatch(project, ["--workers", "2"])
            #expect(watch.says("passed: "), "\(watch.process.said)")
            #expect(!watch.process.said.contains("/enter/"))
            try project.folder.write("src/a", "b")
            #expect(watch.says("src/a: 2 tests"))
            for number in 0..<5 {
                try project.folder.write("src/b\(number)", "b")
                usleep(20_000)
            }
            #expect(watch.says("passed: ", times: 3), "\(watch.process.said)")
            try project.folder.write("act-unit", "exit 1\n")
            try project.folder.write("src/c", "c")
            #expect(watch.says("failed: "), "\(watch.process.said)")
            let runs = try String(contentsOfFile: log.file("log"), encoding: .utf8)
            #expect(runs.split(separator: "\n").count == 6)
            watch.end(by: SIGTERM)
        }
    }
}
