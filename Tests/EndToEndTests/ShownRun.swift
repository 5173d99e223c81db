// Every output of one run, collected to compare each with the expected findings.
import FarmCore
import FarmTesting
import Foundation
import Testing

/// A run as a GitHub Actions job shows it.
struct ShownRun {
    let status: Int32
    let summary: RunSummary
    let terminal: String
    /// The output lines that GitHub's runner reads as annotations.
    let annotations: [String]
    let page: String
    let report: String
    let junit: String
    /// The paths in `FailureDiffs.zip`.
    let zip: [String]
    let comment: String
    /// The state and text of the pipeline's status: `failure: 8 of 14 passed, 6 changed`.
    let commitStatus: String

    /// Runs `snapfarm run FILE` in a folder, with `--json` and its output in `out`.
    init(_ file: String, _ arguments: [String], in folder: TemporaryFolder, _ gitHub: GitHubAtHand)
        throws
    {
        let program = Program(folder: folder.path, environment: gitHub.actions)
        let ending = try program.run(["run", file, "--output", "out", "--json"] + arguments)
        func text(_ name: String) throws -> String {
            try String(contentsOfFile: folder.file("out/\(name)"), encoding: .utf8)
        }
        status = ending.status
        summary = try JSONDecoder().decode(RunSummary.self, from: Data(ending.output.utf8))
        terminal = ending.errors
        annotations = ending.errors.split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("::error ") }
        page = try text("report/index.html")
        report = try text("report.md")
        junit = try text("junit.xml")
        let listed = try TestProcess.run([
            "python3", "-c", Self.list, folder.file("out/FailureDiffs.zip"),
        ])
        zip = listed.output.split(separator: "\n").map(String.init)
        comment = try gitHub.comment()
        let context = "snapfarm/\(summary.run.pipeline)"
        let state = try gitHub.state(context) ?? "none"
        commitStatus = "\(state): \(try gitHub.words(context) ?? "")"
    }

    /// A script that prints the names as UTF-8, whatever the locale.
    private static let list = """
        import sys, zipfile
        names = zipfile.ZipFile(sys.argv[1]).namelist()
        sys.stdout.buffer.write("\\n".join(names).encode())
        """

    /// The number of cards on the page: one for each change.
    var cards: Int { page.ranges(of: "class=\"change item").count }

    /// Checks that the zip holds the page, manifest, summary and every picture that the summary
    /// lists, and that the page shows them all.
    ///
    /// For an unstable picture it shows two takes instead of the reference.
    func expectZip(sourceLocation: SourceLocation = #_sourceLocation) {
        let prefix = "FailureDiffs/"
        // A whole run that compared can be judged again.
        let documents =
            ["index.html", "manifest.json", "summary.json"]
            + (summary.run.isJudgeable ? ["evidence.json"] : [])
        let held = summary.snapshots.flatMap(\.files.values).filter { $0.hasPrefix(prefix) }
        #expect(
            Set(zip.map { prefix + $0 })
                == Set(held + documents.map { prefix + $0 }),
            sourceLocation: sourceLocation
        )
        // Pictures of equal bytes share a path.
        let seen = summary.snapshots.flatMap { snapshot in
            snapshot.files.filter { $0.key != "reference" || snapshot.files["other"] == nil }.values
        }.filter { $0.hasPrefix(prefix) }
        let shown = page.matches(of: #/(?:src|href)="\.\./(FailureDiffs/[^"]*)"/#).map {
            String($0.output.1).removingPercentEncoding ?? ""
        }
        #expect(Set(shown) == Set(seen), sourceLocation: sourceLocation)
    }

    /// Checks JUnit's totals.
    func expectJUnit(
        failures: Int,
        errors: Int = 0,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let root = junit.split(separator: "\n").first { $0.hasPrefix("<testsuites ") } ?? ""
        #expect(
            root.contains("failures=\"\(failures)\" errors=\"\(errors)\""),
            "\(root)",
            sourceLocation: sourceLocation
        )
    }
}
