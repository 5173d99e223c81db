// The options of `snapfarm compare`, and its flow from the pairs' source to the exit code.
import FarmCore
import FarmImaging
import FarmPipeline
import Foundation

/// The options of `snapfarm compare`.
package struct CompareRequest: Sendable {
    /// The source of the pairs of pictures to compare.
    package enum Pairs: Sendable {
        /// Two picture files, or two folders of pictures.
        case two(String, String)
        /// A list of pairs: a file with A<TAB>B in each line; `-` is standard input.
        case list(String)
        /// Requests: a JSON object in each line of standard input, answered one by one.
        case requests
    }

    package var pairs: Pairs
    /// The options of the comparison policy; a request may override single numbers of it.
    package var flags: PolicyFlags
    /// The boxes that are never compared.
    package var ignored: [PixelBox]
    /// The path of the folder for pictures of differences, or `nil` to draw none.
    package var differences: String?
    package var drawing = DifferenceDrawing.difference
    /// The number of tasks that compare at the same time; at least one.
    package var jobs: Int
    /// The output format; ignored for requests, which always get answers.
    package var format: CompareFormat
    /// Whether matching pairs are listed too.
    package var listsAll: Bool
    package var environment: [String: String]

    package init(
        pairs: Pairs,
        flags: PolicyFlags,
        ignored: [PixelBox],
        jobs: Int,
        format: CompareFormat,
        listsAll: Bool,
        environment: [String: String]
    ) {
        self.pairs = pairs
        self.flags = flags
        self.ignored = ignored
        self.jobs = jobs
        self.format = format
        self.listsAll = listsAll
        self.environment = environment
    }

    /// Compares all pairs, prints the findings and returns the exit code.
    ///
    /// - Throws: `CompareError`, `PolicyFlagError`, and `FolderError` if a folder cannot be listed.
    package func perform() async throws -> ExitCode {
        var settings = CompareSettings(
            choice: ComparisonChoice(try flags.policy(), ignored: ignored)
        )
        settings.explains = format != .quiet
        settings.listsAll = listsAll
        settings.drawing = drawing
        switch pairs {
        case .two(let a, let b): return try await compareTwo(a, b, settings)
        case .list(let path):
            settings.origin = .list
            let reader = path == "-" ? LineReader.input : try LineReader(path: path)
            settings.differences = try differences.map(DiffFolder.init)
            return try await compare(ListedPairs(reader), settings, format)
        case .requests:
            settings.origin = .list
            settings.listsAll = true
            settings.differences = try differences.map(DiffFolder.init)
            let source = RequestedPairs(.input, flags: flags, ignored: ignored)
            return try await compare(source, settings, .answers)
        }
    }

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
            settings.differences = try differences.map(DiffFolder.init)
            return try await compare(FilePair(PathBytes(a), PathBytes(b)), settings, format)
        case (.folder, .folder):
            settings.differences = try differences.map(DiffFolder.init)
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
        _ format: CompareFormat
    ) async throws -> ExitCode {
        var source = source
        var run = CompareRun(
            settings: settings,
            jobs: jobs,
            report: CompareReport(
                format: format,
                listsAll: listsAll,
                origin: settings.origin
            ),
            progress: CompareProgress(
                isLive: Console.isLive(environment),
                isQuiet: format == .quiet || format == .answers,
                now: .now
            )
        )
        return try await run.perform(&source).exit
    }
}
