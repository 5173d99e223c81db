// The shared corpus of real, made-up and broken pictures, with the results of independent programs
// for each pair.
import Foundation

/// The corpus in a folder beside the repository.
struct Corpus {
    struct Pair: Decodable {
        var id: String
        var a: String
        var b: String
        /// The pair's source: `git-history` for real pairs.
        var origin: String
        /// The number of differing pixels over straight 16-bit samples.
        var differing: Int?

        enum CodingKeys: String, CodingKey {
            case id, a, b, origin
            case differing = "n_diff_exact"
        }
    }
    struct Expected: Decodable {
        struct Exact: Decodable {
            struct FB: Decodable {
                var differing: Int
                var largestDelta: Int
                var differingAt: [String: Int]
                var pass: [String: Bool]

                enum CodingKeys: String, CodingKey {
                    case pass
                    case differing = "diff_premultiplied"
                    case largestDelta = "max_component_delta"
                    case differingAt = "n_diff_at_perPixelTolerance"
                }
            }
            struct PointFree: Decodable {
                var differing: Int
                var bytes: Int
                var pass: [String: Bool]

                enum CodingKeys: String, CodingKey {
                    case differing = "differing_bytes"
                    case bytes = "byte_count"
                    case pass = "pass_precision"
                }
            }
            var pixels: Int
            /// Counts over 16-bit samples, over their upper halves, and over 8 bits rounded from
            /// 16.
            var differing16: Int
            var differing8: Int
            var differingRounded: Int
            var largestDelta: Int
            /// Left, top, and exclusive right and bottom.
            var box: [Int]?
            var fb: FB
            var pointFree: PointFree

            enum CodingKeys: String, CodingKey {
                case pixels = "n_pixels"
                case differing16 = "diff16_straight"
                case differing8 = "diff8_straight"
                case differingRounded = "diff8_straight_rounded16"
                case largestDelta = "max_channel_delta8"
                case box = "bbox8"
                case fb = "iOSSnapshotTestCase"
                case pointFree = "swift_snapshot_testing"
            }
        }
        var sameBytes: Bool
        var verdict: String
        /// The exact counts, or `nil` if a file is broken or the sizes differ.
        var exact: Exact?
        /// Counts, or a message about errors and sizes.
        var pixelmatch7: [String: Count]?
        var pixelmatch5: [String: Count]?
        var odiff: [String: Count]?

        enum CodingKeys: String, CodingKey {
            case verdict, exact
            case sameBytes = "byte_equal"
            case pixelmatch7 = "pixelmatch-v7.2.0"
            case pixelmatch5 = "pixelmatch-v5.3.0"
            case odiff = "odiff-4.5.0"
        }

        init(from decoder: any Decoder) throws {
            let fields = try decoder.container(keyedBy: CodingKeys.self)
            verdict = try fields.decode(String.self, forKey: .verdict)
            sameBytes = try fields.decode(Bool.self, forKey: .sameBytes)
            // For broken files, this section holds an error.
            exact = try? fields.decodeIfPresent(Exact.self, forKey: .exact)
            pixelmatch7 = try fields.decodeIfPresent([String: Count].self, forKey: .pixelmatch7)
            pixelmatch5 = try fields.decodeIfPresent([String: Count].self, forKey: .pixelmatch5)
            odiff = try fields.decodeIfPresent([String: Count].self, forKey: .odiff)
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

    /// The folder of the package.
    static let repository: String = {
        let source = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let tests = source.deletingLastPathComponent().path
        return (tests + "/../.." as NSString).standardizingPath
    }()
    static let folder = (repository + "/../shared/corpus/compare" as NSString).standardizingPath
    static let isThere = FileManager.default.fileExists(atPath: folder + "/manifest.json")

    let pairs: [Pair]
    private(set) var expected: [String: Expected]
    /// The pairs of animated pictures, which snapfarm refuses.
    ///
    /// The independent programs compare their first frames. The first pair is a video of Paparazzi.
    private static let animated = ["d0034", "t-apng-default", "t-apng-frame2"]

    init() throws {
        pairs = try Self.decode(Manifest.self, "manifest.json").pairs
        expected = try Self.decode(Golden.self, "expected.json").pairs
        for id in Self.animated { expected[id]?.verdict = "error" }
    }

    func bytes(_ path: String) throws -> Data { try Self.bytes(path) }

    private static func bytes(_ path: String) throws -> Data {
        try Data(contentsOf: URL(fileURLWithPath: folder + "/" + path))
    }

    private static func decode<Value: Decodable>(_: Value.Type, _ path: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: bytes(path))
    }
}
