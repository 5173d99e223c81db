// `snapfarm compare`: two pictures, two sides with many (folders, runs, releases), a list of pairs,
// or requests of another program. docs/comparison.md is its guide.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmPipeline
import FarmRun
import Foundation

/// `snapfarm compare`: compares pictures, folders, runs, releases, or the pairs of a list.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares two pictures, folders, runs or releases, or a list of pairs.",
        discussion: """
            A side is a picture, a folder, the output folder or FailureDiffs.zip of a run; where \
            nothing has that path, a tag, a revision, a set or a pin of the pipeline's \
            references. Two sides are matched by relative path; a picture that is on one only is \
            added or removed, and one with equal pixels under another path is renamed. \
            Exit codes: 0 all match, 1 something differs, is added, removed or renamed, 65 \
            something could not be compared (whatever else differs), 64 usage, 74 I/O.
            """
    )

    @Argument(help: "The reference, or the side with the references.") var a: String?
    @Argument(help: "The capture, or the side with the captures.") var b: String?
    @Option(help: "A file with A<TAB>B in each line; - reads standard input.") var pairs: String?
    @Flag(help: "Answer requests from standard input: one JSON object on each line.")
    var stdin = false
    @OptionGroup var policy: ComparisonOptions
    @OptionGroup var ignoring: IgnoreOptions
    @Option(help: "Write a picture of each difference into this folder.") var diffDir: String?
    @Flag(help: "Draw reference, capture and difference side by side, to fit a page.")
    var threeUp = false
    @OptionGroup var page: ReportOptions
    @Flag(help: "Publish the report at the place that the pipeline file names.")
    var publish = false
    @OptionGroup var references: RefsOptions
    @Option(help: "Pairs at the same time (default: cores).") var jobs: Int?
    @Flag(help: "List pairs that match, too.") var all = false
    @OptionGroup var quiet: QuietOption

    func validate() throws {
        let ways = [a != nil, pairs != nil, stdin].filter(\.self).count
        guard ways == 1, (a == nil) == (b == nil) else {
            throw ValidationError("Name two files or folders, or --pairs FILE, or --stdin.")
        }
        let json = references.json
        guard !(json && quiet.isOn), !(stdin && (json || quiet.isOn || all)) else {
            throw ValidationError(
                "--json and --quiet exclude each other; --stdin has its own form of output."
            )
        }
        guard !threeUp || diffDir != nil else {
            throw ValidationError("--three-up draws into a folder: name it with --diff-dir DIR.")
        }
        guard page.report == nil || a != nil && diffDir == nil else {
            throw ValidationError(
                "--report needs two sides, and draws the differences itself, without --diff-dir."
            )
        }
        guard !publish || page.report != nil else {
            throw ValidationError("--publish publishes a report: name it with --report DIR.")
        }
        if let jobs, !(1...FarmLimits.workersMax).contains(jobs) {
            throw ValidationError(
                "--jobs is \(jobs); it must be from 1 to \(FarmLimits.workersMax)."
            )
        }
    }

    func run() async throws {
        var request = CompareRequest(
            pairs: stdin ? .requests : pairs.map { .list($0) } ?? .two(a ?? "", b ?? ""),
            flags: policy.flags,
            ignored: try ignoring.boxes(),
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            format: references.json ? .json : quiet.isOn ? .quiet : .text,
            listsAll: all,
            environment: OwnEnvironment.variables
        )
        request.differences = diffDir
        if threeUp { request.drawing = .threeUp }
        request.report = page.report
        request.language = page.language
        request.publishes = publish
        let references = references
        request.place = { try references.place() }
        let exit = try await request.perform()
        if exit != .passed { Foundation.exit(exit.rawValue) }
    }
}
