// All 402 pairs of the shared corpus, against counts of independent programs. What its fields mean:
// shared/facts/image-comparison.md §1.
import FarmCore
import FarmImaging
import Foundation
import Testing

/// The corpus beside the repository's folder.
struct Corpus {
    struct Pair: Decodable {
        var id: String
        var a: String
        var b: String
        /// Differing pixels over straight 16-bit samples.
        var differing: Int?

        enum CodingKeys: String, CodingKey {
            case id, a, b
            case differing = "n_diff_exact"
        }
    }
    struct Expected: Decodable {
        struct Exact: Decodable {
            struct FB: Decodable {
                var differing: [String: Int]
                var pass: [String: Bool]

                enum CodingKeys: String, CodingKey {
                    case pass
                    case differing = "n_diff_at_perPixelTolerance"
                }
            }
            struct PointFree: Decodable {
                var differing: Int
                var pass: [String: Bool]

                enum CodingKeys: String, CodingKey {
                    case differing = "differing_bytes"
                    case pass = "pass_precision"
                }
            }
            var largestDelta: Int
            /// Left, top, and exclusive right and bottom.
            var box: [Int]?
            var fb: FB
            var pointFree: PointFree

            enum CodingKeys: String, CodingKey {
                case largestDelta = "max_channel_delta8"
                case box = "bbox8"
                case fb = "iOSSnapshotTestCase"
                case pointFree = "swift_snapshot_testing"
            }
        }
        var sameBytes: Bool
        var verdict: String
        var exact: Exact?
        /// Counts, or words about errors and sizes.
        var pixelmatch: [String: Count]?

        enum CodingKeys: String, CodingKey {
            case verdict, exact
            case sameBytes = "byte_equal"
            case pixelmatch = "pixelmatch-v7.2.0"
        }
    }
    struct Count: Decodable {
        var number: Int?
        init(from decoder: any Decoder) throws {
            number = try? decoder.singleValueContainer().decode(Int.self)
        }
    }
    private struct Manifest: Decodable { var pairs: [Pair] }
    private struct Golden: Decodable { var pairs: [String: Expected] }

    static let folder: String = {
        let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let repository = source.deletingLastPathComponent().path + "/../.."
        return (repository + "/../shared/corpus/compare" as NSString).standardizingPath
    }()
    static let isThere = FileManager.default.fileExists(atPath: folder + "/manifest.json")

    let pairs: [Pair]
    let expected: [String: Expected]

    init() throws {
        pairs = try Self.decode(Manifest.self, "manifest.json").pairs
        expected = try Self.decode(Golden.self, "expected.json").pairs
    }

    func bytes(_ path: String) throws -> Data { try Self.bytes(path) }

    private static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
    }

    private static func decode<Value: Decodable>(_: Value.Type, _ path: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: bytes(path))
    }
}

@Suite(
    "The corpus of real and broken pictures",
    .enabled(if: Corpus.isThere, "the corpus is missing: \(Corpus.folder)")
)
struct CorpusTests {
    /// pngjs rounds 16-bit samples to 8 bits, we and the corpus' own counts take the upper half, as
    /// libspng does; this pair was made so that the two disagree.
    private let pixelmatchExceptions: Set<String> = ["t-rgb16-round"]

    @Test("all pairs get the verdict and the counts of independent programs")
    func pairs() async throws {
        let corpus = try Corpus()
        #expect(corpus.pairs.count == 402)
        let disagreements = try await withThrowingTaskGroup(of: [String].self) { group in
            for pair in corpus.pairs {
                group.addTask {
                    let expected = try #require(corpus.expected[pair.id])
                    return try check(pair, expected, corpus).map { "\(pair.id): \($0)" }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(disagreements.isEmpty)
    }

    private func check(
        _ pair: Corpus.Pair,
        _ expected: Corpus.Expected,
        _ corpus: Corpus
    ) throws -> [String] {
        let files = try (corpus.bytes(pair.a), corpus.bytes(pair.b))
        if expected.verdict == "error" {
            let broken = [files.0, files.1].filter { (try? PNGDecoder.decode($0)) == nil }
            return broken.isEmpty ? ["decoded, though broken"] : []
        }
        let reference = try PNGDecoder.decode(files.0)
        let capture = try PNGDecoder.decode(files.1)
        if expected.sameBytes {
            let result = try PictureComparer.compare(
                reference: files.0,
                capture: files.1,
                policy: .exact
            )
            return result == .identicalBytes ? [] : ["not identical bytes"]
        }
        let result = PictureComparer.compare(
            reference: reference,
            capture: capture,
            policy: .exact
        )
        switch expected.verdict {
        case "pixel-equal": return result == .identicalPixels ? [] : ["not identical pixels"]
        case "different-dimensions":
            return result.matches || reference.size == capture.size ? ["not another size"] : []
        default:
            guard case .different(let difference) = result, let exact = expected.exact else {
                return ["not different"]
            }
            return checkExact(pair, difference, exact)
                + checkPolicies(pair, reference, capture, expected)
        }
    }

    private func checkExact(
        _ pair: Corpus.Pair,
        _ difference: PixelDifference,
        _ exact: Corpus.Expected.Exact
    ) -> [String] {
        var found: [String] = []
        if difference.differing != pair.differing { found.append("\(difference.differing)") }
        // A change below one 8-bit step counts as 1.
        if difference.largestDelta != max(1, exact.largestDelta) { found.append("delta") }
        if let box = exact.box, difference.clusters.count < FarmLimits.clustersMax,
            pair.id != "t-rgb16-round", box != around(difference.clusters)
        {
            found.append("box \(around(difference.clusters)), not \(box)")
        }
        return found
    }

    private func around(_ boxes: [PixelBox]) -> [Int] {
        [
            boxes.map(\.x).min() ?? 0, boxes.map(\.y).min() ?? 0,
            boxes.map { $0.x + $0.width }.max() ?? 0, boxes.map { $0.y + $0.height }.max() ?? 0,
        ]
    }

    private func checkPolicies(
        _ pair: Corpus.Pair,
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ expected: Corpus.Expected
    ) -> [String] {
        var wanted: [(ComparisonPolicy, count: Int?, matches: Bool?)] = []
        if let fb = expected.exact?.fb {
            for (name, count) in fb.differing.sorted(by: { $0.key < $1.key }) {
                guard let tolerance = Double(name), name == "0" || name == "0.02" else { continue }
                wanted.append(
                    (
                        .fb(perPixelTolerance: tolerance, overallTolerance: 0.001), count,
                        fb.pass["pp\(name)_ov0.001"]
                    )
                )
            }
        }
        if let pointFree = expected.exact?.pointFree {
            for (name, matches) in pointFree.pass where name == "0.999" {
                guard let precision = Double(name) else { continue }
                wanted.append(
                    (.pointFree(precision: precision), pointFree.differing, matches)
                )
            }
        }
        if let counts = expected.pixelmatch, !pixelmatchExceptions.contains(pair.id) {
            for (name, threshold, include) in [
                ("t0.1_aa_detection", 0.1, false), ("t0.1_includeAA", 0.1, true),
                ("t0_includeAA", 0, true),
            ] {
                let policy = ComparisonPolicy.pixelmatch(
                    threshold: threshold,
                    includeAntiAliasing: include,
                    maxDifferingPixels: 0
                )
                wanted.append((policy, counts[name]?.number, nil))
            }
        }
        return wanted.compactMap { policy, count, matches in
            let result = PictureComparer.compare(
                reference: reference,
                capture: capture,
                policy: policy
            )
            let wrong =
                count.map { $0 != result.difference?.counted } ?? false
                || matches.map { $0 != result.matches } ?? false
            guard wrong else { return nil }
            let counted = result.difference?.counted ?? -1
            return "\(policy): \(counted) \(result.matches), not \(count ?? -1) \(matches ?? true)"
        }
    }

    @Test("every broken file has an error that says more than that it is broken")
    func errors() throws {
        let corpus = try Corpus()
        var unexplained: [String] = []
        for pair in corpus.pairs where corpus.expected[pair.id]?.verdict == "error" {
            do {
                _ = try PNGDecoder.decode(corpus.bytes(pair.a))
                unexplained.append(pair.id)
            } catch {
                if error as? PictureError == .invalid("") { unexplained.append(pair.id) }
            }
        }
        #expect(unexplained.isEmpty)
    }

    @Test(
        "files that are no PNG, or lie about their size, are told apart",
        arguments: [
            ("jpeg-as-png", PictureError.notPNG(.jpeg)), ("gif-as-png", .notPNG(.gif)),
            ("webp-as-png", .notPNG(.webp)), ("lfs-pointer", .notPNG(.lfsPointer)),
            ("html", .notPNG(.markup)), ("cgbi", .appleOptimised), ("empty", .empty),
            ("bad-crc-idat", .checksum(chunk: "IDAT")), ("bad-crc-ihdr", .checksum(chunk: "IHDR")),
            ("bomb-valid-1bit", .tooManyPixels(PixelSize(width: 60_000, height: 60_000))),
        ] as [(String, PictureError)]
    )
    func kinds(name: String, error: PictureError) throws {
        let file = try Corpus().bytes("tricky/\(name)_a.png")
        #expect(throws: error) { try PNGDecoder.decode(file) }
    }
}
