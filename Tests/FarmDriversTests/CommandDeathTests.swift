// Tests of processes of the driver `command` that die in the middle of a shard, with real shells: a
// crash or hang costs only its own test.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("a command that dies in the middle of a shard")
struct CommandDeathTests {
    /// Runs the tests `t0`, `t1`, …; `bad` replaces some by names that say how they fail.
    private func run(
        _ count: Int,
        _ bad: [Int: String],
        streams: Bool,
        testSeconds: Double = 60
    ) async throws -> (heard: Heard, launches: Int, log: String) {
        let folder = try TemporaryFolder()
        let write = streams ? ">> \"$out\"" : ""
        let script = """
            echo >> launches; out=$SNAPFARM_LEASE_DIR/out.xml; cases='<testsuite>'
            [ -n '\(write)' ] && echo "$cases" > "$out"
            for test in {tests}; do
              \(streams ? "echo \"<?snapfarm started $test?>\" \(write)" : ":")
              case $test in abort*) echo "$test gave up" >&2; kill -ABRT $$ ;; hang*) sleep 600 ;;
              exit*) exit 0 ;; halt*) exit 9 ;; esac
              case="<testcase name=\\"$test\\"/>"
              \(streams ? "echo \"$case\n<?snapfarm ended $test?>\" \(write)" : "cases=$cases$case")
            done
            \(streams ? "echo '</testsuite>' \(write)" : "echo \"$cases</testsuite>\" > \"$out\"")
            """
        let heard = Heard()
        try await CommandDriver(environment: testEnvironment).run(
            shard(
                .command(CommandSettings(discover: "", run: script, results: "out.xml")),
                tests: (0..<count).map { bad[$0] ?? "t\($0)" },
                timeouts: JobTimeouts(testSeconds: testSeconds, shardSeconds: 600),
                workTree: folder.path
            ),
            folders: leaseFolders(in: folder)
        ) { heard.take($0) }
        let launches = try String(contentsOfFile: folder.file("launches"), encoding: .utf8).count
        let log = try String(contentsOfFile: folder.file("lease.log"), encoding: .utf8)
        return (heard, launches, log)
    }

    @Test(
        "a crash errors its own test, with its words, and every other test passes",
        arguments: [false, true]
    )
    func crash(streams: Bool) async throws {
        let (heard, launches, log) = try await run(100, [41: "abort41"], streams: streams)
        #expect(heard.results.count == 100)
        let bad = heard.results.filter { $0.ending != .passed }
        #expect(bad.map(\.test.text) == ["abort41"])
        #expect(bad.map(\.ending.word) == ["test-crashed"])
        #expect(bad.first?.output.contains("abort41 gave up") == true)
        #expect(log.contains("abort41"))
        #expect(launches <= (streams ? 2 : 15), "\(launches) launches")
    }

    @Test("a test that ends its runtime before the results are written costs no other test")
    func halted() async throws {
        let (heard, launches, _) = try await run(8, [3: "halt"], streams: false)
        #expect(heard.endings.filter { $0.value != .passed }.keys.map(\.self) == ["halt"])
        #expect(heard.endings["halt"]?.word == "results-missing")
        #expect(heard.results.count == 8 && launches <= 7)
    }

    @Test("a program that says which test runs is ended when one takes too long, or leaves in one")
    func streams() async throws {
        let bad = [3: "hang3", 7: "exit7", 9: "abort9"]
        let (heard, launches, _) = try await run(12, bad, streams: true, testSeconds: 4)
        let words = heard.results.filter { $0.ending != .passed }.map {
            "\($0.test) \($0.ending.word)"
        }
        #expect(words == ["hang3 test-timed-out", "exit7 test-crashed", "abort9 test-crashed"])
        #expect(heard.results.count == 12 && launches == 4)
        #expect(heard.started.count >= 12)
    }

    @Test("an error status in the middle is explained by the test that ends with one, or by none")
    func halfExplained() async throws {
        for (status, expected) in [("3", "passed"), ("0", "exit-unexplained")] {
            let folder = try TemporaryFolder()
            let script = """
                out=$SNAPFARM_LEASE_DIR; set -- {tests}
                [ "$*" = b ] && { [ \(status) = 3 ] && exit 3; printf '%s' \
                '<testsuite><testcase name="b"/></testsuite>' > $out/b.xml; exit 0; }
                printf '%s' '<testsuite><testcase name="a"/></testsuite>' > $out/a.xml; exit 3
                """
            let heard = Heard()
            try await CommandDriver(environment: testEnvironment).run(
                shard(
                    .command(CommandSettings(discover: "", run: script, results: "*.xml")),
                    tests: ["a", "b"],
                    workTree: folder.path
                ),
                folders: leaseFolders(in: folder)
            ) { heard.take($0) }
            #expect(heard.endings["a"]?.word == expected)
            #expect(heard.endings["b"]?.word == (status == "3" ? "results-missing" : "passed"))
        }
    }
}
