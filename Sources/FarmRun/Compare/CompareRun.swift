// The flow of a comparison: chunks of pairs go to `jobs` tasks, and results come back in the order
// of the pairs. Only a limited number of chunks may wait for a slow one, so memory does not grow
// with the number of pairs.
import FarmCore
import Foundation

/// Compares all pairs of a source, and reports the results.
struct CompareRun {
    let settings: CompareSettings
    /// The number of tasks that compare at the same time.
    let jobs: Int
    var report: CompareReport
    var progress: CompareProgress
    /// The acceptances of the differences, by the path on the right; empty if they are unknown.
    var acceptances: [PathBytes: Acceptance] = [:]
    /// All findings, if the comparison writes a report; otherwise empty.
    private(set) var findings: [Finding] = []
    private(set) var totals = CompareTotals()
    /// The number of differences that no person accepted, as far as the acceptances are known.
    private(set) var neverAccepted = 0
    /// The pictures in the second folder only, kept for the search for renames at the end.
    private var added: [PicturePair] = []
    private var removed: [PicturePair] = []

    /// The number of chunks per task that may be started beyond the first unreported one.
    private static let chunksWaitingPerJob = 8

    init(
        settings: CompareSettings,
        jobs: Int,
        report: CompareReport,
        progress: CompareProgress
    ) {
        self.settings = settings
        self.jobs = jobs
        self.report = report
        self.progress = progress
    }

    /// Compares all pairs of `source`, and counts them.
    ///
    /// - Throws: `CompareError` if reading a list or writing results fails.
    mutating func perform(_ source: inout some PairSource) async throws {
        try report.begin(policy: settings.choice.policy)
        try await compareAll(&source)
        try await finishRenames()
        progress.clear()
        try report.end(totals, neverAccepted: neverAccepted, others: source.others)
    }

    private mutating func compareAll(_ source: inout some PairSource) async throws {
        try await withThrowingTaskGroup(of: ChunkResult.self) { group in
            var idle = (0..<jobs).map { _ in PairWorker(settings) }
            var finished: [Int: ChunkResult] = [:]
            var given = 0
            var shown = 0
            var hasEnded = false
            while true {
                while !hasEnded, let worker = idle.last,
                    given - shown < jobs * Self.chunksWaitingPerJob
                {
                    let isAlone = idle.count == jobs
                    let chunk = try Self.chunk(given, jobs, &source, isAlone, &hasEnded)
                    if chunk.items.isEmpty { break }
                    idle.removeLast()
                    given += 1
                    group.addTask { try worker.work(chunk) }
                }
                guard let result = try await group.next() else { break }
                idle.append(result.worker)
                finished[result.sequence] = result
                while let next = finished.removeValue(forKey: shown) {
                    try show(next)
                    shown += 1
                }
                progress.show(totals, share: source.share, now: .now)
            }
        }
    }

    /// Returns the next chunk of pairs.
    ///
    /// The first chunks are small, so that even a few large pictures keep all tasks busy.
    private static func chunk(
        _ sequence: Int,
        _ jobs: Int,
        _ source: inout some PairSource,
        _ mayWait: Bool,
        _ hasEnded: inout Bool
    ) throws -> PairChunk {
        let count = min(FarmLimits.pairsPerTaskMax, 1 + sequence / (4 * jobs))
        var items: [CompareItem] = []
        fill: while items.count < count {
            switch try source.next(waiting: mayWait && items.isEmpty) {
            case .item(let item): items.append(item)
            case .nothingYet: break fill
            case .end:
                hasEnded = true
                break fill
            }
        }
        return PairChunk(sequence: sequence, items: items)
    }

    private mutating func show(_ result: ChunkResult) throws {
        totals.count(.identicalBytes, times: result.identical)
        for finding in result.findings where !waits(finding) { try conclude(finding) }
        try flush()
    }

    private mutating func conclude(_ finding: Finding) throws {
        var finding = finding
        totals.count(finding.verdict)
        if !finding.verdict.matches { finding.acceptance = acceptances[finding.pair.b] }
        if finding.acceptance?.isAccepted == false { neverAccepted += 1 }
        if let pictures = settings.report {
            try write(&finding, pictures)
            findings.append(finding)
        }
        try report.add(finding)
    }

    /// Writes the pictures of a finding without a pair into the report.
    private func write(_ finding: inout Finding, _ pictures: ReportPictures) throws {
        guard [.added, .removed, .renamed].contains(finding.verdict) else { return }
        var reported = ReportedPictures()
        let (left, right) = (finding.pair.a, finding.pair.b)
        do {
            var buffer = FileBuffer()
            if finding.verdict != .added {
                try settings.left.read(left, into: &buffer)
                let bytes = buffer.withBytes { Data($0) }
                try pictures.write(.left, left, bytes, number: -1 - findings.count, &reported)
            }
            if finding.verdict != .removed {
                try settings.right.read(right, into: &buffer)
                let bytes = buffer.withBytes { Data($0) }
                try pictures.write(.right, right, bytes, number: -1 - findings.count, &reported)
            }
        } catch let error as CompareError {
            throw error
        } catch let error as any ExplainedError {
            finding.problem = Problem(error)
        }
        finding.reported = reported
    }

    private mutating func flush() throws {
        guard report.isWaiting else { return }
        progress.clear()
        try report.flush()
    }

    // MARK: renames

    /// Keeps an added or removed picture for the search for renames, up to a limit; returns whether
    /// it was kept.
    private mutating func waits(_ finding: Finding) -> Bool {
        guard [.added, .removed].contains(finding.verdict),
            added.count + removed.count < FarmLimits.renameCandidatesMax
        else { return false }
        if finding.verdict == .added { added.append(finding.pair) }
        if finding.verdict == .removed { removed.append(finding.pair) }
        return true
    }

    private mutating func finishRenames() async throws {
        let lone = totals[.added] + totals[.removed]
        if lone > 0 {
            Console.say(
                "\(lone.grouped) more pictures are on one side only; not looked at for renames"
            )
        }
        let renames = await RenameSearch(settings: settings, jobs: jobs)
            .search(removed: removed.map(\.a), added: added.map(\.b))
        var findings = renames.renamed.map {
            Finding(lone: $0.to, verdict: .renamed, from: $0.from)
        }
        findings += renames.added.map { Finding(lone: $0, verdict: .added) }
        findings += renames.removed.map { Finding(lone: $0, verdict: .removed) }
        for finding in findings.sorted(by: { $0.pair.b < $1.pair.b }) { try conclude(finding) }
        try flush()
    }
}

extension Finding {
    /// Creates the finding of a picture that is in one folder only, or that was renamed.
    fileprivate init(lone path: PathBytes, verdict: PairVerdict, from: PathBytes? = nil) {
        self.init(
            pair: PicturePair(number: 0, a: from ?? path, b: path),
            verdict: verdict,
            from: from
        )
    }
}
