// The documents of `--report`: the page, which is that of a run, and reg.json. Both are made from
// the findings when all pairs are compared.
import FarmCore
import FarmReports
import Foundation

/// A finished comparison, as its documents show it.
struct ComparisonReport {
    let findings: [Finding]
    let totals: CompareTotals
    /// The number of differences that no person accepted, as far as the acceptances are known.
    let neverAccepted: Int
    let origin: PicturePair.Origin
    let left: SideTitle
    let right: SideTitle
    let policy: String
    /// The rows of the cells that the paths begin with; empty if the paths have none.
    let cells: [CellSummary]
    /// Whether the acceptances of the differences are known.
    let knowsAcceptances: Bool
    /// The language of the page, one of ``CatalogueFolder/languages``.
    let language: String

    /// Writes the documents; the page comes last, so that it names only files that exist.
    func write(into pictures: ReportPictures) throws {
        let folder = pictures.folder
        func write(_ name: String, _ bytes: Data) throws {
            _ = try folder.write(PathBytes(name), Array(bytes), number: 0)
        }
        try write("reg.json", try reg.json())
        let summary = summary
        let acceptances = Dictionary(
            findings.compactMap { finding in finding.acceptance.map { (id(finding), $0) } }
        ) { first, _ in first }
        let sides = ComparedSides(
            left: left,
            right: right,
            policy: policy,
            acceptances: knowsAcceptances ? acceptances : nil
        )
        let page = HTMLReport.render(
            summary,
            comparing: sides,
            language: PageLanguage(rawValue: language) ?? .english
        )
        try write("index.html", Data(page.utf8))
    }

    // MARK: reg.json

    /// The findings in the shape of reg-suit.
    var reg: RegJSON {
        var reg = RegJSON(
            actualDir: "./\(ReportPictures.Kind.right.rawValue)",
            expectedDir: "./\(ReportPictures.Kind.left.rawValue)",
            diffDir: "./\(ReportPictures.Kind.difference.rawValue)"
        )
        for finding in findings {
            let path = finding.pair.differencePath(origin)
            let name = path.isText ? path.text : path.shown
            switch finding.verdict {
            case .identicalBytes, .identicalPixels, .differentTags, .withinTolerance:
                reg.passedItems.append(name)
            case .different, .broken: reg.failedItems.append(name)
            case .added: reg.newItems.append(name)
            case .removed: reg.deletedItems.append(name)
            case .renamed:
                reg.newItems.append(name)
                reg.deletedItems.append(finding.pair.a.shown)
                reg.expectedItems.append(finding.pair.a.shown)
            }
            if ![.added, .renamed].contains(finding.verdict) { reg.expectedItems.append(name) }
            if finding.verdict != .removed { reg.actualItems.append(name) }
            if finding.diff != nil { reg.diffItems.append(name) }
        }
        return reg
    }

    // MARK: the summary

    /// The findings as the summary of a run without tests.
    var summary: RunSummary {
        let rows = findings.map(row).sorted { $0.id < $1.id }
        var comparisons: [String: Comparison] = [:]
        for finding in findings {
            if let difference = finding.difference, finding.verdict == .different {
                comparisons[id(finding)] = .different(difference)
            }
        }
        var facts = RunFacts.unknown(RunID("comparison"))
        facts.pipeline = "\(left.name) → \(right.name)"
        var summary = RunSummary(
            run: facts,
            state: totals.exit == .passed ? .passed : .failed,
            exitCode: totals.exit.rawValue,
            counts: VerdictCounts(),
            comparisons: ComparisonCounts(),
            cells: cells,
            tests: [],
            snapshots: rows,
            artifacts: [],
            problems: []
        )
        summary.changes = RunChanges.of(summary, comparisons: comparisons)
        return summary
    }

    /// Returns the id of a finding's picture, which differs for different paths.
    private func id(_ finding: Finding) -> String {
        let path = finding.pair.differencePath(origin)
        guard path.isText, path.isPicture else { return path.shown }
        return String(decoding: path.bytes.dropLast(".png".utf8.count), as: UTF8.self)
    }

    private func row(_ finding: Finding) -> SnapshotSummary {
        let id = id(finding)
        let known = cells.isEmpty ? nil : SnapshotID(exactly: id)
        let slash = id.utf8.lastIndex(of: UInt8(ascii: "/"))
        let name = known?.name ?? slash.map { String(id[id.utf8.index(after: $0)...]) } ?? id
        var row = SnapshotSummary(
            id: id,
            job: "",
            cell: known?.cell.text ?? "",
            suite: known?.suite ?? slash.map { String(id[..<$0]) } ?? "",
            name: name,
            identifier: PictureTitle.of(name, on: nil),
            test: "",
            verdict: finding.verdict.onPage,
            reference: finding.reported?.reference?.hex ?? "",
            predecessor: finding.from.map { String($0.shown.dropLast(".png".count)) } ?? "",
            capture: finding.reported?.capture.map { "\($0)" } ?? "",
            width: finding.difference?.capture.width ?? finding.reported?.size?.width ?? 0,
            height: finding.difference?.capture.height ?? finding.reported?.size?.height ?? 0,
            words: finding.pageWords,
            files: finding.reported?.files ?? [:]
        )
        if let difference = finding.difference {
            row.differingPixels = difference.differing
            row.share = difference.share
            row.largestDelta = difference.largestDelta
            row.clusters = difference.clusters
        }
        row.isRed = finding.verdict.matches ? nil : true
        return row
    }
}

extension PairVerdict {
    /// The verdict as that of a run's picture, for the page.
    fileprivate var onPage: Verdict {
        switch self {
        case .identicalBytes, .identicalPixels, .differentTags, .withinTolerance: .passed
        case .different: .changed
        case .added: .new
        case .removed: .missing
        case .renamed: .moved
        case .broken: .errored
        }
    }
}

extension Finding {
    /// The result in words that the page can translate; empty if its badge says all.
    fileprivate var pageWords: String {
        switch verdict {
        case .added, .removed: problem?.message ?? ""
        case .renamed: "moved from \(from?.shown ?? "")."
        default: words
        }
    }
}
