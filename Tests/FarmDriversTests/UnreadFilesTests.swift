import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Files beside captures that are compared with nothing")
struct UnreadFilesTests {
    private func run(
        _ script: String,
        tests: [String],
        results: String? = nil,
        in folder: TemporaryFolder
    ) async throws -> Heard {
        let heard = Heard()
        let settings = CommandSettings(discover: "", run: script, results: results)
        try await CommandDriver(environment: testEnvironment).run(
            shard(.command(settings), kind: .snapshot, tests: tests, workTree: folder.path),
            folders: try leaseFolders(in: folder)
        ) { heard.take($0) }
        return heard
    }

    @Test("a test whose only pictures are not read does not pass, and each is named")
    func alone() async throws {
        let folder = try TemporaryFolder()
        let script = """
            cd "$SNAPFARM_CAPTURE_DIR"; mkdir S
            case {tests} in
              upper) echo 1 > S/upper.PNG; echo '{}' > S/upper.json;;
              jpg) echo 1 > S/jpg.jpg;;
              link) ln -s /etc/hosts S/link.png;;
              linkdir) mkdir -p ../real; echo 1 > ../real/x.png; ln -s ../real T;;
              dead) ln -s /nowhere S/dead.png;;
              mixed) echo 1 > S/mixed.png; echo 1 > S/mixed.webp; echo '{}' > S/mixed.json;;
              text) echo 1 > S/text.log; echo 1 > S/.hidden;;
              failing) echo 1 > S/failing.jpg; exit 1;;
            esac
            """
        let tests = ["upper", "jpg", "link", "linkdir", "dead", "mixed", "text", "failing", "none"]
        let heard = try await run(script, tests: tests, in: folder)
        let code = "picture-not-read"
        #expect(
            heard.endings.mapValues(\.word) == [
                "upper": code, "jpg": code, "link": code, "linkdir": code, "dead": code,
                "mixed": "passed", "text": "passed", "failing": "failed", "none": "passed",
            ]
        )
        let words = tests.map { heard.result($0)?.unread.map(\.words) ?? [] }
        #expect(
            words == [
                ["S/upper.PNG"], ["S/jpg.jpg"], ["S/link.png (a link)"], ["T (a link)"],
                ["S/dead.png (a link)"], ["S/mixed.webp"], ["S/text.log"], ["S/failing.jpg"], [],
            ]
        )
        guard case .errored(let problem) = heard.endings["upper"] else { return }
        #expect(problem.message.hasSuffix("nothing was compared: S/upper.PNG."))
    }

    /// Returns a script that writes a passed result for each given test; `draw` sees each one as
    /// `$t`.
    private func batch(_ draw: String) -> String {
        """
        cd "$SNAPFARM_LEASE_DIR"; mkdir -p "$SNAPFARM_CAPTURE_DIR/S"
        echo '<testsuite>' > out.xml
        while read -r t; do
          echo "<testcase name='$t'/>" >> out.xml
          \(draw)
        done
        echo '</testsuite>' >> out.xml
        """
    }

    @Test("in a batch it is the test's that its name gives away, or that makes it alone")
    func batch() async throws {
        let folder = try TemporaryFolder()
        let draw = """
            case $t in
              S/named) echo 1 > $SNAPFARM_CAPTURE_DIR/S/named.PNG;;
              maker) echo 2 > $SNAPFARM_CAPTURE_DIR/S/odd.jpg;;
            esac
            """
        let tests = ["S/named", "maker", "other"]
        let heard = try await run(batch(draw), tests: tests, results: "out.xml", in: folder)
        let code = "picture-not-read"
        #expect(
            heard.endings.mapValues(\.word)
                == ["S/named": code, "maker": code, "other": "passed"]
        )
        #expect(heard.result("maker")?.unread.map(\.path) == ["S/odd.jpg"])
    }

    @Test("a file of a whole batch is no fault of tests that have pictures of their own")
    func sheet() async throws {
        let folder = try TemporaryFolder()
        let draw = """
            echo "$t" >> \(folder.path)/ran
            echo 1 > "$SNAPFARM_CAPTURE_DIR/$t.png"; echo 1 > "$SNAPFARM_CAPTURE_DIR/sheet.jpg"
            """
        let tests = ["S/a", "S/b"]
        let heard = try await run(batch(draw), tests: tests, results: "out.xml", in: folder)
        #expect(heard.endings.mapValues(\.word) == ["S/a": "passed", "S/b": "passed"])
        #expect(heard.results.flatMap(\.unread).map(\.path) == ["sheet.jpg"])
        let ran = try String(contentsOfFile: folder.file("ran"), encoding: .utf8)
        #expect(ran == "S/a\nS/b\n")
    }
}
