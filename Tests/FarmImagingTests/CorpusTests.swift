// Tests of all 402 pairs of the shared corpus: every verdict equals that of independent programs,
// and so does every count of a policy that they know.
import FarmCore
import Foundation
import Testing

@testable import FarmImaging

@Suite(
    "The corpus of real and broken pictures",
    .enabled(if: Corpus.isThere, "the corpus is missing: \(Corpus.folder)")
)
struct CorpusTests {
    /// Fields that an independent program computes differently, and why; none is our mistake.
    private static let explained: [String: (fields: [String], why: String)] = [
        "t-rgb16-round": (
            ["pixelmatch", "diff8_straight_rounded16"],
            """
            pngjs rounds 16-bit samples to 8 bits; we and the corpus' own counts take the upper \
            half, as libspng does. This pair was made so that the two disagree.
            """
        )
    ]

    @Test("all pairs get the verdict and the counts of independent programs")
    func pairs() async throws {
        let corpus = try Corpus()
        #expect(corpus.pairs.count == 402)
        let found = try await withThrowingTaskGroup(of: (String, [String]).self) { group in
            for pair in corpus.pairs {
                group.addTask {
                    let expected = try #require(corpus.expected[pair.id])
                    return (pair.id, try check(pair, expected, corpus))
                }
            }
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        for (id, disagreements) in found {
            let explained = Self.explained[id]?.fields ?? []
            let open = disagreements.filter { !explained.contains(where: $0.hasPrefix) }
            #expect(open.isEmpty, "\(id)")
            // An obsolete explanation must be removed.
            for field in explained {
                #expect(disagreements.contains { $0.hasPrefix(field) }, "\(id) agrees on \(field)")
            }
        }
    }

    /// Returns our disagreements, each beginning with the field's name.
    private func check(
        _ pair: Corpus.Pair,
        _ expected: Corpus.Expected,
        _ corpus: Corpus
    ) throws -> [String] {
        let files = try (corpus.bytes(pair.a), corpus.bytes(pair.b))
        if expected.verdict == "error" {
            let broken = [files.0, files.1].filter { (try? PNGDecoder.decode($0)) == nil }
            return broken.isEmpty ? ["verdict: decoded, though broken"] : []
        }
        let result = try PictureComparer.compare(
            reference: files.0,
            capture: files.1,
            policy: .exact
        )
        guard (result == .identicalBytes) == expected.sameBytes else { return ["byte_equal"] }
        let reference = try PNGDecoder.decode(files.0)
        let capture = try PNGDecoder.decode(files.1)
        if expected.verdict == "different-dimensions" {
            return result.matches || reference.size == capture.size ? ["verdict"] : []
        }
        guard result.matches == (expected.verdict == "pixel-equal") else { return ["verdict"] }
        guard let exact = expected.exact else { return ["exact: missing"] }
        let policies = CorpusPolicies(reference: reference, capture: capture)
        return differences(policies.exact(result), exact.wanted(pair))
            + differences(policies.fb(like: exact.fb), exact.fb.wanted)
            + differences(policies.pointFree(like: exact.pointFree), exact.pointFree.wanted)
            + differences(policies.pixelmatch(.v7), wanted(expected.pixelmatch7, .v7))
            + differences(policies.pixelmatch(.v5), wanted(expected.pixelmatch5, .v5))
    }

    private func differences(_ ours: [String: String], _ theirs: [String: String]) -> [String] {
        theirs.keys.sorted().compactMap { field in
            guard let own = ours[field] else { return "\(field): not compared" }
            return own == theirs[field] ? nil : "\(field): \(own), not \(theirs[field] ?? "")"
        }
    }

    /// Returns the expected counts; pairs that pngjs refuses have none.
    private func wanted(
        _ counts: [String: Corpus.Count]?,
        _ version: PixelmatchVersion
    ) -> [String: String] {
        var wanted: [String: String] = [:]
        for (name, count) in counts ?? [:] {
            guard let number = count.number else { continue }
            wanted["pixelmatch-\(version.rawValue) \(name)"] = "\(number)"
        }
        return wanted
    }

    @Test("whatever one decoder accepts, the other accepts, with the same pixels")
    func decodersAgree() async throws {
        let corpus = try Corpus()
        let files = Set(corpus.pairs.flatMap { [$0.a, $0.b] })
        let disagreements = try await withThrowingTaskGroup(of: String?.self) { group in
            for file in files {
                group.addTask {
                    let bytes = try corpus.bytes(file)
                    let quick = try? PNGDecoder.decode(bytes)
                    let slow = try? PNGDecoder.decodeByLibpng(bytes)
                    return quick == slow ? nil : file
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap(\.self) }
        }
        #expect(disagreements.isEmpty)
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
            ("apng-default", .animated), ("apng-frame2", .animated),
            ("bad-crc-idat", .checksum(chunk: "IDAT")), ("bad-crc-ihdr", .checksum(chunk: "IHDR")),
            ("bomb-valid-1bit", .tooManyPixels(PixelSize(width: 60_000, height: 60_000))),
        ] as [(String, PictureError)]
    )
    func kinds(name: String, error: PictureError) throws {
        let file = try Corpus().bytes("tricky/\(name)_a.png")
        #expect(throws: error) { try PNGDecoder.decode(file) }
    }
}
