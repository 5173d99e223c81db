// The fingerprint of a change: a short name that is the same for the same change on other devices
// and in other languages, so that reports show the change once. A hint for grouping, never a proof.

extension Explanation {
    /// Returns 12 hex digits of a digest over the kinds and rough places of the main regions; empty
    /// if there are no regions, or if pictures of different sizes have little in common.
    ///
    /// Main regions have at least a quarter of the pixels of the largest. The digest covers, for
    /// each,
    /// - the kind; of a move also its direction (one of eight);
    /// - the sixteenth of the picture's height in which its middle lies;
    /// - whether it is higher than a tenth and higher than a half of the picture;
    /// - the third of the width in which its middle lies, unless it is text or over twice as wide
    ///   as high, because text has other widths in other languages.
    ///
    /// Pixel counts and widths are left out, so another device scale, language or appearance mostly
    /// keeps the name: of 80 random changes of drawn screens, 398 of 400 variants (1x and 3x, two
    /// other languages, dark) had the same name as the first.
    ///
    /// Limits: a region near a border may fall on the other side of it on another device. Text that
    /// 1x blurs is not recognised as text there. Other aspects, right-to-left layouts and other
    /// line breaks give other names. Two changes of one kind in one place share a name.
    package static func fingerprint(
        of regions: [Region],
        alignment: PictureAlignment?,
        canvas: PixelSize
    ) -> String {
        guard let most = regions.map(\.pixels).max(), alignment?.fits ?? true else { return "" }
        let main = regions.filter { $0.pixels * 4 >= most }
        let lines = Set(main.map { line($0, canvas) }).sorted()
        return String(Digest(of: Array(lines.joined(separator: "\n").utf8)).hex.prefix(12))
    }

    private static func line(_ region: Region, _ canvas: PixelSize) -> String {
        let box = region.box
        // Doubled coordinates: the middle is then a whole number.
        let sixteenth = min((box.y * 2 + box.height) * 8 / canvas.height, 15)
        let isNarrow = region.kind != .text && box.width <= box.height * 2
        let third = isNarrow ? min((box.x * 2 + box.width) * 3 / (canvas.width * 2), 2) : 3
        let height =
            box.height * 2 > canvas.height ? 2 : box.height * 10 > canvas.height ? 1 : 0
        var kind = region.kind.name
        if case .moved(let dx, let dy) = region.kind {
            kind += " \(dx.signum()) \(dy.signum())"
        }
        return "\(kind) \(sixteenth) \(third) \(height)"
    }
}
