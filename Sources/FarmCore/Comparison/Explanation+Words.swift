// An explanation in one line: the kinds of change, the number of regions, and the share of pixels.

extension Explanation {
    /// The most phrases about regions in the line; the list of regions has all of them.
    private static let phrasesMax = 3

    func words(of difference: PixelDifference) -> String {
        let became = "\(difference.reference) became \(difference.capture)"
        if let alignment, !alignment.fits,
            let scale = PictureAlignment.scale(difference.reference, difference.capture)
        {
            return "\(became), the same aspect at \(scale)×"
        }
        let canvas = PictureAlignment.canvas(difference.reference, difference.capture)
        let whole = max(
            difference.reference.width * difference.reference.height,
            difference.capture.width * difference.capture.height
        )
        let share = "\(short(percent(difference.differing, of: whole))) of pixels"
        guard !regions.isEmpty else {
            let delta = "largest delta \(difference.largestDelta)"
            return noise > 0 ? "noise only, \(delta); \(share)" : "\(share) differ, \(delta)"
        }
        let count = "\(regionCount.grouped) region\(regionCount == 1 ? "" : "s")"
        let found = elements.map {
            $0.isEmpty
                ? ElementChange.none
                : ElementChange.mark + ElementChange.lines($0).joined(separator: ", ")
        }
        return ([headline(became, canvas), count, share] + [found].compactMap(\.self))
            .joined(separator: "; ")
    }

    private func headline(_ became: String, _ canvas: PixelSize) -> String {
        var phrases: [String] = []
        if let alignment, alignment.fits {
            let parts = [
                alignment.rows.map { grown($0, "row", ("top", "bottom"), canvas.height) },
                alignment.columns.map { grown($0, "column", ("left", "right"), canvas.width) },
            ]
            phrases.append(parts.compactMap(\.self).joined(separator: " and ") + " (\(became))")
        } else if alignment != nil {
            phrases.append(became)
        }
        if let bandMove {
            phrases.append("\(Self.moved(dx: 0, dy: bandMove.by)) from row \(bandMove.from)")
        }
        // Each grown band takes the place of one other phrase.
        let bands = [alignment?.rows, alignment?.columns].compactMap(\.self).count
        let taken = phrases.count + (alignment?.fits == true ? bands : 0)
        let isAlone = phrases.isEmpty
        var others = Array(otherPhrases.prefix(max(Self.phrasesMax - taken, 0)))
        if let last = others.firstIndex(of: "changed"), !isAlone || others.count > 1 {
            others.remove(at: last)
            let isUnlike = others.isEmpty && alignment?.fits == false
            others.append(isUnlike ? "little in common" : "other changes")
        }
        return (phrases + others).joined(separator: ", ")
    }

    /// The phrases about the regions: one for each kind, the kind with the most pixels first.
    ///
    /// Grown bands and the moved band are left out: the headline names them itself.
    private var otherPhrases: [String] {
        var pixels: [String: Int] = [:]
        var moves: Set<Kind> = []
        for region in regions {
            switch region.kind {
            case .grew where alignment != nil, .shrank where alignment != nil: continue
            case .moved(0, let dy) where dy == bandMove?.by: continue
            case .moved: moves.insert(region.kind)
            default: break
            }
            pixels[region.kind.name, default: 0] += region.pixels
        }
        let sorted = pixels.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return sorted.map { name, _ in
            switch name {
            case "moved":
                if moves.count == 1, case .moved(let dx, let dy)? = moves.first {
                    return Self.moved(dx: dx, dy: dy)
                }
                return "moved"
            case "text": return "text changed"
            case "grew", "shrank": return "an edge \(name)"
            case "anti-aliasing":
                return sorted.count == 1 ? "anti-aliasing only" : "anti-aliasing"
            default: return name
            }
        }
    }

    /// Returns the words of a region's kind, as they stand in a list.
    static func phrase(_ kind: Kind) -> String {
        switch kind {
        case .moved(let dx, let dy): moved(dx: dx, dy: dy)
        case .text: "text changed"
        case .grew: "grew"
        case .shrank: "shrank"
        case .appeared, .vanished, .recoloured, .antiAliasing, .changed: kind.name
        }
    }

    private static func moved(dx: Int, dy: Int) -> String { "moved \(direction(dx: dx, dy: dy))" }

    /// Returns the direction of a move in words: `4 px down`, `3 px left and 4 px down`.
    static func direction(dx: Int, dy: Int) -> String {
        var parts: [String] = []
        if dx != 0 { parts.append("\(abs(dx)) px \(dx > 0 ? "right" : "left")") }
        if dy != 0 { parts.append("\(abs(dy)) px \(dy > 0 ? "down" : "up")") }
        return parts.joined(separator: " and ")
    }

    private func grown(
        _ band: PictureAlignment.Band,
        _ axis: String,
        _ ends: (first: String, last: String),
        _ length: Int
    ) -> String {
        let verb = band.change == .inserted ? "grew" : "shrank"
        let place =
            band.at == 0
            ? "at the \(ends.first)"
            : band.at + band.count == length ? "at the \(ends.last)" : "at \(axis) \(band.at)"
        return "\(verb) \(band.count) px \(place)"
    }

    /// Returns the percentage without zeros at the end: `0.8 %` for `0.80 %`, and `12 %` for `12.00
    /// %`.
    private func short(_ percent: String) -> String {
        guard percent.hasSuffix(" %"), percent.contains(".") else { return percent }
        var number = Substring(percent.dropLast(2))
        while number.hasSuffix("0") { number.removeLast() }
        if number.hasSuffix(".") { number.removeLast() }
        return number + " %"
    }
}
