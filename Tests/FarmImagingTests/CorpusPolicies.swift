// Results of our policies for a pair of the corpus, under the names in its expected.json.
import FarmCore
import Testing

@testable import FarmImaging

/// Computes the fields of expected.json by name.
struct CorpusPolicies {
    let reference: Bitmap
    let capture: Bitmap

    private func judge(_ policy: ComparisonPolicy) -> PolicyArithmetic.Judgement {
        // Only `exact` needs the number of differing pixels.
        PolicyArithmetic.judge(reference, capture, differing: 0, policy: policy)
    }

    func exact(_ result: Comparison) -> [String: String] {
        let upper = CorpusPolicies(reference: reference.upper, capture: capture.upper)
        let counted = CountedPixels(
            upper.reference,
            upper.capture,
            noise: 0,
            antiAliasing: false
        )
        let upperResult = PictureComparer.compare(
            reference: upper.reference,
            capture: upper.capture,
            policy: .exact
        )
        return [
            "n_pixels": "\(reference.width * reference.height)",
            "n_diff_exact": "\(result.difference?.differing ?? 0)",
            "diff16_straight": "\(result.difference?.differing ?? 0)",
            "diff8_straight": "\(counted.changed)",
            // We never round 16-bit samples to 8 bits; only one pair shows the difference.
            "diff8_straight_rounded16": "\(counted.changed)",
            "max_channel_delta8": "\(upperResult.difference?.largestDelta ?? 0)",
            "bbox8": counted.box.map { "\([$0.x, $0.y, $0.x + $0.width, $0.y + $0.height])" } ?? "",
        ]
    }

    func fb(like expected: Corpus.Expected.Exact.FB) -> [String: String] {
        func judged(_ perPixel: Double, _ overall: Double) -> PolicyArithmetic.Judgement {
            judge(.fb(perPixelTolerance: perPixel, overallTolerance: overall))
        }
        var found = ["fb diff_premultiplied": "\(judged(0, 0).counted)"]
        for name in expected.differingAt.keys {
            found["fb at \(name)"] = "\(judged(Double(name) ?? -1, 0).counted)"
        }
        for name in expected.pass.keys {
            // pp<tolerance>_ov<tolerance>
            let numbers = name.dropFirst(2).split(separator: "_ov").map { Double($0) ?? -1 }
            found["fb \(name)"] = "\(judged(numbers[0], numbers[1]).allowed)"
        }
        // The largest delta is the smallest one that no pixel exceeds.
        let largest = expected.largestDelta
        let at = judged(Double(largest) / 256, 0).counted
        let below = largest == 0 ? 1 : judged(Double(largest - 1) / 256, 0).counted
        found["fb max_component_delta"] = at == 0 && below > 0 ? "\(largest)" : "another"
        return found
    }

    func pointFree(like expected: Corpus.Expected.Exact.PointFree) -> [String: String] {
        var found = [
            "point-free byte_count": "\(reference.width * reference.height * 4)",
            "point-free differing_bytes": "\(judge(.pointFree(precision: 1)).counted)",
        ]
        for name in expected.pass.keys {
            let policy = ComparisonPolicy.pointFree(precision: Double(name) ?? -1)
            found["point-free \(name)"] = "\(judge(policy).allowed)"
        }
        return found
    }

    func pixelmatch(_ version: PixelmatchVersion) -> [String: String] {
        var found: [String: String] = [:]
        for (name, threshold, include) in [
            ("t0.1_aa_detection", 0.1, false), ("t0.1_includeAA", 0.1, true),
            ("t0_includeAA", 0, true),
        ] {
            let policy = ComparisonPolicy.pixelmatch(
                threshold: threshold,
                includeAntiAliasing: include,
                maxDifferingPixels: 0,
                version: version
            )
            found["pixelmatch-\(version.rawValue) \(name)"] = "\(judge(policy).counted)"
        }
        return found
    }
}

extension Corpus.Expected.Exact {
    func wanted(_ pair: Corpus.Pair) -> [String: String] {
        [
            "n_pixels": "\(pixels)",
            "n_diff_exact": pair.differing.map { "\($0)" } ?? "",
            "diff16_straight": "\(differing16)",
            "diff8_straight": "\(differing8)",
            "diff8_straight_rounded16": "\(differingRounded)",
            "max_channel_delta8": "\(largestDelta)",
            "bbox8": box.map { "\($0)" } ?? "",
        ]
    }
}

extension Corpus.Expected.Exact.FB {
    var wanted: [String: String] {
        var wanted = [
            "fb diff_premultiplied": "\(differing)", "fb max_component_delta": "\(largestDelta)",
        ]
        for (name, count) in differingAt { wanted["fb at \(name)"] = "\(count)" }
        for (name, pass) in pass { wanted["fb \(name)"] = "\(pass)" }
        return wanted
    }
}

extension Corpus.Expected.Exact.PointFree {
    var wanted: [String: String] {
        var wanted = [
            "point-free byte_count": "\(bytes)", "point-free differing_bytes": "\(differing)",
        ]
        for (name, pass) in pass { wanted["point-free \(name)"] = "\(pass)" }
        return wanted
    }
}

extension Bitmap {
    /// The picture with the upper halves of all samples.
    fileprivate var upper: Bitmap { Bitmap(size: size, pixels: pixels) }
}
