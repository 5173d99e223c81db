// `snapfarm compare`: two pictures, two folders of them, a list of pairs, or requests of another
// program. docs/comparison.md is its guide.
import ArgumentParser
import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation

/// `snapfarm compare`.
struct CompareCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "compare",
        abstract: "Compares pictures.",
        discussion: """
            Two folders are matched by relative path; a picture that is in one only is added or \
            removed, and one with equal pixels under another path is renamed. \
            Exit codes: 0 all match, 1 something differs, is added, removed or renamed, 65 \
            something could not be compared (whatever else differs), 64 usage, 74 I/O.
            """
    )

    @Argument(help: "The reference, or a folder of references.") var a: String?
    @Argument(help: "The capture, or a folder of captures.") var b: String?
    @Option(help: "A file with A<TAB>B in each line; - reads standard input.") var pairs: String?
    @Flag(help: "Answer requests: a JSON object in each line of standard input.")
    var stdin = false
    @OptionGroup var policy: ComparisonOptions
    @OptionGroup var ignoring: IgnoreOptions
    @Option(help: "Write a picture of each difference into this folder.") var diffDir: String?
    @Flag(help: "Draw reference, capture and difference side by side, to fit a page.")
    var threeUp = false
    @Option(help: "Pairs at the same time (default: cores).") var jobs: Int?
    @Flag(help: "Print one JSON document.") var json = false
    @Flag(help: "List pairs that match, too.") var all = false
    @Flag(help: "Print nothing; the exit code says it.") var quiet = false

    func validate() throws {
        let ways = [a != nil, pairs != nil, stdin].filter(\.self).count
        guard ways == 1, (a == nil) == (b == nil) else {
            throw ValidationError("Name two files or folders, or --pairs FILE, or --stdin.")
        }
        guard !(json && quiet), !(stdin && (json || quiet || all)) else {
            throw ValidationError(
                "--json and --quiet exclude each other; --stdin has its own form of output."
            )
        }
        guard !threeUp || diffDir != nil else {
            throw ValidationError("--three-up draws into a folder: name it with --diff-dir DIR.")
        }
        if let jobs, !(1...FarmLimits.workersMax).contains(jobs) {
            throw ValidationError(
                "--jobs is \(jobs); it must be from 1 to \(FarmLimits.workersMax)."
            )
        }
    }

    func run() async throws {
        let choice = ComparisonChoice(
            try policy.flags.policy(),
            ignored: try ignoring.boxes()
        )
        var settings = CompareSettings(choice: choice)
        if pairs != nil || stdin { settings.origin = .list }
        settings.listsAll = all || stdin
        settings.explains = !quiet
        if threeUp { settings.drawing = .threeUp }
        let exit: ExitCode
        if stdin {
            settings.differences = try diffDir.map(DiffFolder.init)
            exit = try await compare(
                RequestedPairs(.input, flags: policy.flags, ignored: choice.ignored),
                settings,
                .answers
            )
        } else if let pairs {
            let reader = pairs == "-" ? LineReader.input : try LineReader(path: pairs)
            settings.differences = try diffDir.map(DiffFolder.init)
            exit = try await compare(ListedPairs(reader), settings, format)
        } else {
            exit = try await compareTwo(a ?? "", b ?? "", settings)
        }
        if exit != .passed { Foundation.exit(exit.rawValue) }
    }

    private var format: CompareReport.Format { json ? .json : quiet ? .quiet : .text }

    private func compareTwo(
        _ a: String,
        _ b: String,
        _ settings: CompareSettings
    ) async throws -> ExitCode {
        var settings = settings
        switch (try InputKind(of: a), try InputKind(of: b)) {
        case (.folder, .file): throw CompareError.kinds(folder: a, file: b)
        case (.file, .folder): throw CompareError.kinds(folder: b, file: a)
        case (.file, .file):
            settings.differences = try diffDir.map(DiffFolder.init)
            return try await compare(FilePair(PathBytes(a), PathBytes(b)), settings, format)
        case (.folder, .folder):
            settings.differences = try diffDir.map(DiffFolder.init)
            settings.origin = .folders
            settings.rootA = Array(a.utf8)
            settings.rootB = Array(b.utf8)
            let folders = try FolderPairs(
                a: PathBytes(a),
                b: PathBytes(b),
                differences: settings.differences?.identity
            )
            return try await compare(folders, settings, format)
        }
    }

    private func compare(
        _ source: some PairSource,
        _ settings: CompareSettings,
        _ format: CompareReport.Format
    ) async throws -> ExitCode {
        let environment = OwnEnvironment.variables
        var source = source
        var run = CompareRun(
            settings: settings,
            jobs: jobs ?? ProcessInfo.processInfo.activeProcessorCount,
            report: CompareReport(
                format: format,
                listsAll: all,
                origin: settings.origin
            ),
            progress: CompareProgress(
                isLive: Console.isLive(environment),
                isQuiet: quiet || stdin,
                now: .now
            )
        )
        return try await run.perform(&source).exit
    }
}
