// A difference in one line for people. The text is the same in every locale, because reports are
// compared.

extension PixelDifference {
    /// The difference in one line of at most 160 characters before its elements, for sides of up to
    /// five digits.
    ///
    /// If explained: `moved 4 px down from row 212; 2 regions; 0.8 % of pixels`. Otherwise `1,234
    /// of 1,000,500 pixels (0.12 %) differ, largest delta 87, 2 regions`, or `750×1334 became
    /// 750×1340` if the sizes differ. ` (approximate)` follows if the policy imitates a formula
    /// that is not public.
    package var words: String {
        caveat.map { "\(measured) (\($0.rawValue))" } ?? measured
    }

    private var measured: String {
        if let explanation { return explanation.words(of: self) }
        guard reference == capture else { return "\(reference) became \(capture)" }
        let pixels = reference.width * reference.height
        let verb = differing == 1 ? "differs" : "differ"
        return "\(differing.grouped) of \(pixels.grouped) pixel\(pixels == 1 ? "" : "s") "
            + "(\(percent(differing, of: pixels))) \(verb), largest delta \(largestDelta)"
            + regions
    }

    private var regions: String {
        // Regions are only found when a difference is explained.
        guard !clusters.isEmpty else { return "" }
        let most = clusters.count == FarmLimits.clustersMax ? "at least " : ""
        return ", \(most)\(clusters.count) region\(clusters.count == 1 ? "" : "s")"
    }
}

extension Int {
    /// The number with a comma between thousands: `1,000,500`.
    package var grouped: String {
        var digits = String(magnitude)
        var groups: [String] = []
        while digits.count > 3 {
            groups.insert(String(digits.suffix(3)), at: 0)
            digits.removeLast(3)
        }
        let text = ([digits] + groups).joined(separator: ",")
        return self < 0 ? "-" + text : text
    }
}

/// Returns a share in percent with two decimals, never rounded to none or to all: `0.12 %`,
/// `< 0.01 %`, `> 99.99 %`.
func percent(_ part: Int, of whole: Int) -> String {
    guard whole > 0, part > 0 else { return "0 %" }
    guard part < whole else { return "100 %" }
    // Products stay under 2^63: a picture has at most 10^8 pixels.
    let hundredths = (part * 10_000 + whole / 2) / whole
    if hundredths == 0 { return "< 0.01 %" }
    if hundredths == 10_000 { return "> 99.99 %" }
    let decimals = hundredths % 100
    return "\(hundredths / 100).\(decimals < 10 ? "0" : "")\(decimals) %"
}
