// Compares pairs one after another, in memory that is reused for files and decoding.
import FarmCore
import FarmImaging
import Foundation

/// The kind of picture that shows a difference.
package enum DifferenceDrawing: Sendable {
    /// The difference alone, pixel by pixel.
    case difference
    /// Reference, capture and difference side by side, scaled down to a page.
    case threeUp
}

/// The settings that all pairs of one comparison share.
struct CompareSettings: Sendable {
    /// The largest side-by-side picture, in pixels: one page of a report.
    static let pageSize = PixelSize(width: 1_800, height: 1_200)

    /// The source of the pairs' first pictures; `right` is that of the second ones.
    var left = ComparedSide.Source.files(below: [])
    var right = ComparedSide.Source.files(below: [])
    var choice: ComparisonChoice
    /// The folder for pictures of differences, or `nil` to draw none.
    var differences: DiffFolder?
    var drawing = DifferenceDrawing.difference
    /// The folder of a report, or `nil` to write none.
    var report: ReportPictures?
    var origin = PicturePair.Origin.files
    /// Whether the findings explain the differences.
    var explains = true
    /// Whether pairs of equal bytes are listed as findings too.
    var listsAll = false
}

/// Consecutive pairs that one task compares.
struct PairChunk: Sendable {
    let sequence: Int
    let items: [CompareItem]
}

/// The result of comparing a chunk of pairs.
struct ChunkResult: Sendable {
    let sequence: Int
    /// The number of pairs with equal bytes that are not listed in `findings`.
    var identical = 0
    /// The findings, in the order of the chunk's pairs.
    var findings: [Finding] = []
    /// The worker that compared the chunk, which the run uses again.
    let worker: PairWorker
}

/// Reads and compares pairs.
///
/// Has no lock, and is still safe to send: the run lends each worker to one task at a time and gets
/// it back with that task's result.
final class PairWorker: @unchecked Sendable {
    private let settings: CompareSettings
    private var a = FileBuffer()
    private var b = FileBuffer()

    init(_ settings: CompareSettings) { self.settings = settings }

    /// Compares the pairs of a chunk.
    ///
    /// - Throws: `CompareError` if the picture of a difference cannot be written.
    func work(_ chunk: PairChunk) throws -> ChunkResult {
        var result = ChunkResult(sequence: chunk.sequence, worker: self)
        for item in chunk.items {
            let finding = try finding(item)
            if finding.verdict == .identicalBytes, !settings.listsAll {
                result.identical += 1
            } else {
                result.findings.append(finding)
            }
        }
        return result
    }

    private func finding(_ item: CompareItem) throws -> Finding {
        var finding = Finding(pair: item.pair, verdict: .broken, request: item.request)
        switch item.kind {
        case .added: finding.verdict = .added
        case .removed: finding.verdict = .removed
        case .equal: finding.verdict = .identicalBytes
        case .broken(let problem): finding.problem = problem
        case .pair: try compare(item, &finding)
        }
        return finding
    }

    private func compare(_ item: CompareItem, _ finding: inout Finding) throws {
        do {
            try read(item.pair)
            let choice = item.request?.choice ?? settings.choice
            let examined = try examined()
            let comparison = PictureComparer.compare(examined, choice: choice)
            finding.verdict = PairVerdict(comparison)
            finding.difference = comparison.difference
            if case .differentTags(let tags) = comparison { finding.differingTags = tags }
            if !comparison.matches { try look(consume examined, choice, &finding) }
        } catch let error as CompareError {
            throw error
        } catch let error as any ExplainedError {
            finding.problem = Problem(error)
        }
    }

    private func read(_ pair: PicturePair) throws {
        do {
            try of(.reference) { try settings.left.read(pair.a, into: &a) }
        } catch let error as PictureFileError {
            throw error.of(.reference, settings.left.shown(pair.a))
        }
        do {
            try of(.capture) { try settings.right.read(pair.b, into: &b) }
        } catch let error as PictureFileError {
            throw error.of(.capture, settings.right.shown(pair.b))
        }
    }

    private func examined() throws -> ExaminedPair {
        try a.withBytes { one in
            let examined = try b.withBytes { try ExaminedPair(reference: one, capture: $0) }
            if case .identicalBytes = examined {
                // Equal bytes must still be a PNG: two equal Git LFS pointers do not prove that two
                // pictures are equal.
                _ = try of(.reference) { try PNGDecoder.size(of: one) }
            }
            return examined
        }
    }

    /// Adds the explanation of a difference to its finding, and draws it if there is a folder for
    /// drawings.
    private func look(
        _ examined: consuming ExaminedPair,
        _ choice: ComparisonChoice,
        _ finding: inout Finding
    ) throws {
        guard settings.explains || settings.differences != nil else { return }
        do {
            finding.reported = try settings.report?.write(
                finding.pair,
                settings.origin,
                left: a.withBytes { Data($0) },
                right: b.withBytes { Data($0) }
            )
            guard let explained = try Self.explained(consume examined, choice) else { return }
            if settings.explains {
                finding.difference = finding.difference?.explained(by: explained.explanation)
            }
            if let report = settings.report {
                try report.add(explained.diff(), to: &finding, settings.origin)
            }
            guard let differences = settings.differences else { return }
            finding.diff = try differences.write(
                finding.pair.differencePath(settings.origin),
                draw(consume explained),
                number: finding.pair.number
            )
        } catch let error as PictureError {
            finding.problem = Problem(error)
        }
    }

    /// Returns the explained difference of a pair, or `nil` if its pictures do not differ.
    ///
    /// Consumes the pictures, so that a drawing can reuse their memory.
    private static func explained(
        _ examined: consuming ExaminedPair,
        _ choice: ComparisonChoice
    ) throws(PictureError) -> ExplainedPair? {
        guard case .differing(let reference, let capture, _) = consume examined else { return nil }
        return try ExplainedPair(reference: reference, capture: capture, choice: choice)
    }

    private func draw(_ explained: consuming ExplainedPair) throws(PictureError) -> [UInt8] {
        switch settings.drawing {
        case .difference: return try explained.diff()
        case .threeUp:
            return try explained.threeUp(
                widthMax: CompareSettings.pageSize.width,
                heightMax: CompareSettings.pageSize.height
            )
        }
    }

    /// Runs `body`, and adds the picture's side to a `PictureError` that it throws.
    private func of<Value>(
        _ side: BrokenPicture.Side,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let defect as PictureError {
            throw BrokenPicture(side: side, defect: defect)
        }
    }

    // MARK: renames

    /// Returns the size of a picture in the first or second folder, or `nil` if it is no readable
    /// PNG.
    func size(_ path: PathBytes, isInA: Bool) -> PixelSize? {
        let source = isInA ? settings.left : settings.right
        guard (try? source.readHead(path, into: &a)) != nil else { return nil }
        return a.withBytes { try? PNGDecoder.size(of: $0) }
    }

    /// Returns the digest of a picture's pixels, or `nil` if it cannot be decoded.
    func digest(_ path: PathBytes, isInA: Bool) -> Digest? {
        let source = isInA ? settings.left : settings.right
        guard (try? source.read(path, into: &a)) != nil,
            let bitmap = a.withBytes({ try? PNGDecoder.decode($0) })
        else { return nil }
        return PictureLook(bitmap).pixelDigest
    }
}

extension PictureFileError {
    fileprivate func of(_ side: BrokenPicture.Side, _ path: String) -> SidedFileError {
        SidedFileError(side: side, path: path, error: self)
    }
}

/// A file error of one of two compared pictures, with its side and path.
private struct SidedFileError: ExplainedError {
    let side: BrokenPicture.Side
    /// The path for people.
    let path: String
    let error: PictureFileError

    var code: String { error.code }
    var message: String { "\(side.rawValue): \(path): \(error.message)" }
    var remedy: String { error.remedy }
    var exit: ExitCode { error.exit }
}
