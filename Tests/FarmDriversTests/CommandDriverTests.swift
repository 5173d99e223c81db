// Tests of the driver `command` with real shells.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("the command driver")
struct CommandDriverTests {
    private let driver = CommandDriver(environment: testEnvironment)

    private func run(
        _ settings: CommandSettings,
        kind: JobKind = .unit,
        judge: Judge = .farm,
        tests: [String],
        timeouts: JobTimeouts = JobTimeouts(),
        in folder: TemporaryFolder
    ) async throws -> Heard {
        let heard = Heard()
        try await driver.run(
            shard(
                .command(settings),
                kind: kind,
                judge: judge,
                tests: tests,
                timeouts: timeouts,
                workTree: folder.path
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        return heard
    }

    private func discover(_ script: String) async throws -> [String] {
        let folder = try TemporaryFolder()
        let job = shard(
            .command(CommandSettings(discover: script, run: "")),
            tests: []
        ).job
        return try await driver.discover(job: job, workTree: folder.path, scratch: folder.path)
            .tests.map(\.text)
    }

    // MARK: discovery

    @Test("discovery lists standard output only, and an empty list is a list")
    func discovery() async throws {
        #expect(try await discover("echo b; echo noise >&2; echo a") == ["b", "a"])
        #expect(try await discover("true") == [])
        #expect(try await discover("echo \"$GIVEN$SNAPFARM_TOKEN$CI_SECRET\"") == ["by the job"])
    }

    @Test("a discovery that prints its failure behind its list is said in these words")
    func failedList() async throws {
        let error = await #expect(throws: DriverError.self) {
            try await discover("echo t.py::a; echo; echo 'ERROR t_b.py'; echo '1 error'; exit 2")
        }
        #expect(error?.message.contains("ERROR t_b.py\n1 error") == true)
    }

    @Test("a discovery that fails leaves the run incomplete and says what it printed last")
    func failedDiscovery() async throws {
        let error = await #expect(throws: DriverError.self) {
            try await discover("echo a; echo 'no such module' >&2; exit 3")
        }
        #expect(error?.exit == .incomplete)
        #expect(error?.message.contains("left with status 3") == true)
        #expect(error?.message.contains("no such module") == true)
    }

    // MARK: one process per test

    @Test("without results each test is a process, judged by its exit status, in order")
    func singles() async throws {
        let folder = try TemporaryFolder()
        let settings = CommandSettings(
            discover: "",
            run: "echo out of {tests} \"for $GIVEN\"; sh -c {tests}"
        )
        let tests = ["true", "exit 3", "kill -SEGV $$", "echo last"]
        let heard = try await run(settings, tests: tests, in: folder)
        #expect(heard.started == tests)
        #expect(heard.results.map(\.test.text) == tests)
        #expect(heard.results.map(\.ending.word) == ["passed", "failed", "test-crashed", "passed"])
        #expect(heard.results[1].output == "out of exit 3 for by the job\n")
        if case .errored(let problem) = heard.results[2].ending {
            #expect(problem.message.contains("SIGSEGV"))
        }
        let log = try String(contentsOfFile: folder.file("lease.log"), encoding: .utf8)
        #expect(log.contains("out of echo last"))
    }

    @Test(
        "a hanging or flooding test is errored and the rest goes on",
        arguments: [
            // On any busy machine `true` ends within the first limit, and the flood is read within
            // the second.
            ("sleep 600", 12, "test-timed-out"),
            ("head -c 20000000 /dev/zero", 600, "test-flooded"),
        ]
    )
    func bad(test: String, seconds: Double, code: String) async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(discover: "", run: "exec sh -c {tests}"),
            tests: [test, "true"],
            timeouts: JobTimeouts(testSeconds: seconds, shardSeconds: 600),
            in: folder
        )
        #expect(heard.results.map(\.ending.word) == [code, "passed"])
    }

    @Test("when the shard's time is over, what ran is named and nothing more is run")
    func shardTime() async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(discover: "", run: "sh -c {tests}"),
            tests: ["sleep 60", "true"],
            timeouts: JobTimeouts(testSeconds: 60, shardSeconds: 0.3),
            in: folder
        )
        #expect(heard.results.isEmpty)
        #expect(heard.timeOver == [TestID("sleep 60")])
    }

    @Test("a test's pictures are its own: capture folder, sidecar, glob and scratch references")
    func pictures() async throws {
        let folder = try TemporaryFolder()
        let script = """
            mkdir -p "$SNAPFARM_CAPTURE_DIR/S/Deep" "$FB_REFERENCE_IMAGE_DIR"_64/App.T shots/X
            cd "$SNAPFARM_LEASE_DIR"; mkdir -p shots/X
            echo png > "$SNAPFARM_CAPTURE_DIR/S/Deep/"{tests}.png
            echo '{"identifier": "id-1", "metadata": {"a": 1}}' \
              > "$SNAPFARM_CAPTURE_DIR/S/Deep/"{tests}.json
            echo png > "$FB_REFERENCE_IMAGE_DIR"_64/App.T/testA@2x.png
            echo png > shots/X/{tests}.png
            ln -s /etc/hostname shots/X/link.png
            ln -s /etc shots/etc
            mkfifo shots/X/pipe.png
            """
        let heard = try await run(
            CommandSettings(discover: "", run: script, captures: CapturePattern("shots/**/*.png")),
            kind: .snapshot,
            tests: ["one", "two"],
            in: folder
        )
        for test in ["one", "two"] {
            let captures = try #require(heard.result(test)).captures
            #expect(
                captures.map { "\($0.suite)|\($0.name)|\($0.identifier ?? "")" } == [
                    "S/Deep|\(test)|id-1", "App.T|testA@2x|", "X|\(test)|",
                ]
            )
            for capture in captures {
                #expect(FileManager.default.contents(atPath: capture.path) == Data("png\n".utf8))
            }
        }
    }

    @Test("a broken sidecar is the test's error")
    func brokenSidecar() async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(
                discover: "",
                run: "mkdir $SNAPFARM_CAPTURE_DIR/S; cd $SNAPFARM_CAPTURE_DIR/S;"
                    + " echo x > a.png; echo '[' > a.json; : {tests}"
            ),
            kind: .snapshot,
            tests: ["t"],
            in: folder
        )
        #expect(heard.endings["t"]?.word == "sidecar-invalid")
    }

    // MARK: one process per shard

    private func junit(_ cases: String) -> String {
        "printf '%s' '<testsuite>\(cases)</testsuite>' > $SNAPFARM_LEASE_DIR/out.xml"
    }

    @Test("with results one process runs the shard, and a test it does not mention stays open")
    func batch() async throws {
        let folder = try TemporaryFolder()
        let script =
            junit(
                "<testcase classname=\"t.test_x\" name=\"test_a\" time=\"0.5\"/>"
                    + "<testcase classname=\"t.test_x\" name=\"test_b\"><failure message=\"no\"/>"
                    + "</testcase>"
            ) + "; cat > seen; exit 1"
        let tests = ["t/test_x.py::test_a", "t/test_x.py::test_b", "t/test_x.py::test_c"]
        let heard = try await run(
            CommandSettings(discover: "", run: script, results: "*.xml"),
            tests: tests,
            in: folder
        )
        #expect(heard.endings == [tests[0]: .passed, tests[1]: .failed("no")])
        #expect(heard.result(tests[0])?.seconds == 0.5)
        let seen = try String(contentsOfFile: folder.file("seen"), encoding: .utf8)
        #expect(seen == tests.joined(separator: "\n") + "\n")
    }

    @Test(
        "a process that did not end well says why for each test without a result",
        arguments: [
            ("exit 4", "results-missing"), ("kill -ABRT $$", "test-crashed"),
            ("head -c 20000000 /dev/zero; exit 0", "test-flooded"),
            ("echo '<!DOCTYPE a><testsuite/>' > $SNAPFARM_LEASE_DIR/out.xml", "results-invalid"),
        ]
    )
    func badBatch(script: String, code: String) async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(discover: "", run: script, results: "out.xml"),
            tests: ["a", "b"],
            timeouts: JobTimeouts(testSeconds: 600, shardSeconds: 600),
            in: folder
        )
        #expect(heard.results.map(\.ending.word) == [code, code])
    }

    @Test("a process whose shard's time is over leaves its results, and the rest runs again")
    func batchTime() async throws {
        let folder = try TemporaryFolder()
        let script =
            junit("<testcase name=\"a\"/>")
            + "; set -- {tests}; case \"$*\" in *b*) sleep 600; esac"
        let heard = try await run(
            CommandSettings(discover: "", run: script, results: "out.xml"),
            tests: ["a", "b"],
            timeouts: JobTimeouts(testSeconds: 600, shardSeconds: 3),
            in: folder
        )
        #expect(heard.endings.mapValues(\.word) == ["a": "passed", "b": "shard-timed-out"])
        #expect(heard.timeOver == nil)
    }

    @Test("results written before a crash count, and the one without is the crash")
    func partialBatch() async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(
                discover: "",
                run: junit("<testcase name=\"a\"/>") + "; kill -9 $$",
                results: "out.xml"
            ),
            tests: ["a", "b"],
            in: folder
        )
        #expect(heard.endings.mapValues(\.word) == ["a": "passed", "b": "test-crashed"])
    }

    @Test(
        "a process that dies while it writes keeps what it wrote whole, and nothing after it is green",
        arguments: [
            ("kill -9 $$", "test-crashed"), ("exit 3", "results-cut-off"),
            ("exit 0", "results-cut-off"),
        ]
    )
    func streamedBatch(end: String, word: String) async throws {
        let folder = try TemporaryFolder()
        let script = """
            exec 3> "$SNAPFARM_LEASE_DIR/out.xml"
            printf '<testsuites><testsuite name="s">\\n<testcase name="a"/>\\n' >&3
            printf '<testcase name="b"><failure message="no"/></testcase><testcase name="c"' >&3
            \(end)
            """
        let heard = try await run(
            CommandSettings(discover: "", run: script, results: "out.xml"),
            tests: ["a", "b", "c", "d"],
            in: folder
        )
        #expect(
            heard.endings.mapValues(\.word) == ["a": "passed", "b": "failed", "c": word, "d": word]
        )
    }

    @Test("a crash's own words are kept before a backtrace that is longer than the last lines")
    func crashWords() async throws {
        let folder = try TemporaryFolder()
        let crash = "echo 'Fatal error: the cart is empty' >&2; seq -f 'frame %g' 60; kill -ILL $$"
        let heard = try await run(
            CommandSettings(discover: "", run: crash, results: "out.xml"),
            tests: ["a", "b"],
            in: folder
        )
        #expect(heard.endings.mapValues(\.word) == ["a": "test-crashed", "b": "test-crashed"])
        let lines = heard.results.map { $0.output.split(separator: "\n") }
        #expect(lines.allSatisfy { $0.first == "Fatal error: the cart is empty" })
        #expect(lines.allSatisfy { $0.count == 13 && $0.last == "frame 60" })
    }

    @Test("while one process runs a shard, each test that its output names is progress, once")
    func mentioned() async throws {
        let folder = try TemporaryFolder()
        // The second name is printed after the first was reported, the results after both were.
        let script = """
            echo 'suite.a is next, suite.ab and suite.z are not'; echo "'suite.a' again"
            while [ ! -e heard-suite.a ]; do sleep 0.02; done
            echo '[ RUN ] "suite.b",' >&2
            while [ ! -e heard-suite.b ]; do sleep 0.02; done

            """
        let heard = Heard()
        let settings = CommandSettings(
            discover: "",
            run: script + junit("<testcase name=\"suite.a\"/><testcase name=\"suite.b\"/>"),
            results: "out.xml"
        )
        try await driver.run(
            shard(
                .command(settings),
                tests: ["suite.a", "suite.b", "suite.c"],
                timeouts: JobTimeouts(testSeconds: 60, shardSeconds: 60),
                workTree: folder.path
            ),
            folders: leaseFolders(in: folder)
        ) { event in
            heard.take(event)
            guard case .mentioned(let test) = event else { return }
            try folder.write("heard-\(test)", "")
        }
        #expect(heard.mentioned == ["suite.a", "suite.b"])
        #expect(heard.started.isEmpty)
        #expect(heard.endings == ["suite.a": .passed, "suite.b": .passed])
    }

    @Test("an error status that no failure explains makes nothing green")
    func unexplained() async throws {
        let folder = try TemporaryFolder()
        let heard = try await run(
            CommandSettings(
                discover: "",
                run: junit("<testcase name=\"a\"/>") + "; exit 1",
                results: "out.xml"
            ),
            tests: ["a"],
            in: folder
        )
        #expect(heard.endings["a"]?.word == "exit-unexplained")
    }
}
