// The options of `snapfarm compare`, and its flow from the pairs' source to the exit code.
import FarmCore
import FarmImaging
import FarmPipeline
import FarmReports
import Foundation

/// The options of `snapfarm compare`.
package struct CompareRequest: Sendable {
    /// The source of the pairs of pictures to compare.
    package enum Pairs: Sendable {
        /// Two picture files, or two sides with many pictures.
        case two(String, String)
        /// Two reference sets; `nil` is the set of the work tree's pin.
        case references(String, String?)
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
    /// The path of the folder for a page with all differences, or `nil` to write none.
    package var report: String?
    /// Whether the report is published at the place that the pipeline file names.
    package var publishes = false
    /// The language of the page, one of ``CatalogueFolder/languages``.
    package var language = "en"
    /// Returns the place of the references; called if a side's name is no path.
    package var place: @Sendable () throws -> ReferencePlace = { throw RefsError.noPipeline }
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
        settings.explains = format != .quiet || report != nil
        // A report lists what matches, too.
        settings.listsAll = listsAll || report != nil
        settings.drawing = drawing
        let finder = SideFinder(place: place)
        switch pairs {
        case .two(let a, let b):
            return try await compare(finder.find(a), finder.find(b), settings)
        case .references(let a, let b):
            let sides = (try finder.references(a), try finder.references(b))
            return try await compare(.side(sides.0), .side(sides.1), settings)
        case .list(let path):
            settings.origin = .list
            let reader = path == "-" ? LineReader.input : try LineReader(path: path)
            settings.differences = try differences.map { try DiffFolder($0) }
            return try await run(ListedPairs(reader), settings, format).totals.exit
        case .requests:
            settings.origin = .list
            settings.listsAll = true
            settings.differences = try differences.map { try DiffFolder($0) }
            let source = RequestedPairs(.input, flags: flags, ignored: ignored)
            return try await run(source, settings, .answers).totals.exit
        }
    }

    private func compare(
        _ left: SideFinder.Found,
        _ right: SideFinder.Found,
        _ settings: CompareSettings
    ) async throws -> ExitCode {
        switch (left, right) {
        case (.picture(let a), .picture(let b)):
            var settings = settings
            try open(&settings)
            let run = try await run(FilePair(a, b), settings, format)
            return try await finish(run, ComparedSide(file: a), ComparedSide(file: b))
        case (.side(let left), .side(let right)):
            return try await compare(left, right, settings)
        case (.picture(let file), .side(let side)), (.side(let side), .picture(let file)):
            throw CompareError.kinds(side: side.title.name, file: file.text)
        }
    }

    private func compare(
        _ left: ComparedSide,
        _ right: ComparedSide,
        _ settings: CompareSettings
    ) async throws -> ExitCode {
        var settings = settings
        try open(&settings)
        settings.origin = .folders
        settings.left = left.source
        settings.right = right.source
        let written = (settings.report?.folder ?? settings.differences)?.identity
        if let a = left.folder, let b = right.folder {
            let folders = try FolderPairs(a: a, b: b, differences: written)
            return try await finish(run(folders, settings, format), left, right)
        }
        let (left, right) = (try left.listed(but: written), try right.listed(but: written))
        // The acceptances are read beforehand, because each row is printed as soon as it is known.
        let acceptances: [PathBytes: Acceptance]
        if format == .json || report != nil {
            acceptances = try right.acceptances(since: left)
        } else {
            // Lines need no journal: a host that does not answer stops no comparison.
            acceptances = (try? right.acceptances(since: left)) ?? [:]
        }
        let pairs = ListedSides(left, right)
        return try await finish(run(pairs, settings, format, acceptances), left, right)
    }

    /// Opens the folders that the comparison writes into.
    private func open(_ settings: inout CompareSettings) throws {
        settings.differences = try differences.map { try DiffFolder($0) }
        settings.report = try report.map { try ReportPictures($0) }
    }

    /// Writes the documents of the report, publishes it on demand, and returns the exit code.
    private func finish(
        _ run: CompareRun,
        _ left: ComparedSide,
        _ right: ComparedSide
    ) async throws -> ExitCode {
        guard let pictures = run.settings.report else { return run.totals.exit }
        let listed = Set(right.cells.map(\.id))
        let document = ComparisonReport(
            findings: run.findings,
            totals: run.totals,
            neverAccepted: run.neverAccepted,
            origin: run.settings.origin,
            left: left.title,
            right: right.title,
            policy: run.settings.choice.policy.name.rawValue,
            cells: right.cells + left.cells.filter { !listed.contains($0.id) },
            knowsAcceptances: right.references != nil,
            language: language
        )
        try document.write(into: pictures)
        if format != .quiet, let report { Console.say("Report: \(report)/index.html") }
        if publishes {
            try await ComparisonPublication(place: place(), environment: environment)
                .publish(document, folder: PipelineSource.absolute(pictures.folder.path))
        }
        return run.totals.exit
    }

    private func run(
        _ source: some PairSource,
        _ settings: CompareSettings,
        _ format: CompareFormat,
        _ acceptances: [PathBytes: Acceptance] = [:]
    ) async throws -> CompareRun {
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
                isQuiet: [.quiet, .answers, .silent].contains(format),
                now: .now
            )
        )
        run.acceptances = acceptances
        try await run.perform(&source)
        return run
    }
}
