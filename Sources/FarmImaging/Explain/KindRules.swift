// The rules that give a region its kind. Each rule refuses when in doubt; a region that no rule
// accepts is `changed`.
import CFarmShims
import FarmCore

struct KindRules {
    /// The farthest move in pixels, along each axis, that is searched within a region.
    private static let moveMax: UInt32 = 64
    /// The most pixels of a box that is searched for moved content; `textPixelsMax` is that for
    /// text.
    ///
    /// `BandFinder` finds large moves by rows, and the work per region must stay small.
    private static let boxPixelsMax = 1 << 21
    private static let textPixelsMax = 1 << 19

    let reference: Bitmap
    let capture: Bitmap
    let alignment: PictureAlignment
    let classes: PixelClasses

    /// Whether one picture is the other at another scale.
    ///
    /// Such pictures share no pixels, so each region's kind is `changed`.
    private var isRescaled: Bool {
        PictureAlignment.scale(reference.size, capture.size) != nil
    }

    func kind(of region: farm_region) -> Explanation.Kind {
        if isRescaled { return .changed }
        if region.changed == 0 { return .antiAliasing }
        let box = region.cBox
        if let move = move(box) { return .moved(dx: move.dx, dy: move.dy) }
        var look = farm_look()
        alignment.withPair(reference, capture) {
            farm_region_look($0, classes.classes, [box], &look)
        }
        if let kind = Self.kind(look) { return kind }
        return isText(region) ? .text : .changed
    }

    /// Returns the kind that the look of the changed pixels proves, or `nil`.
    ///
    /// - appeared: in the reference, 98 % of the changed pixels have one colour, and 90 % of the
    ///   unchanged pixels beside them have it too: it was the background. Vanished: the same in the
    ///   capture.
    /// - grew, shrank: both sides have one colour there, and the pixels beside have either colour:
    ///   an edge of a flat shape moved. The more frequent colour beside is the ground.
    /// - recoloured: over the whole box, each colour of the reference became one other colour and
    ///   each colour of the capture came from one other, except for pixels up to a fiftieth of the
    ///   changed ones; and at most a tenth of the pixels beside have the old or the new colour, so
    ///   that the shape kept its outline. Boxes with few pixels per colour prove nothing.
    static func kind(_ look: farm_look) -> Explanation.Kind? {
        if look.changed == 0 { return nil }
        let isFlatBefore = look.reference_flat * 100 >= look.changed * 98
        let isFlatAfter = look.capture_flat * 100 >= look.changed * 98
        let before = look.rim_like_reference
        let after = look.rim_like_capture
        if look.rim > 0 {
            if isFlatBefore && before * 10 >= look.rim * 9 { return .appeared }
            if isFlatAfter && after * 10 >= look.rim * 9 { return .vanished }
        }
        if before * 10 > look.rim || after * 10 > look.rim {
            let isEdge = isFlatBefore && isFlatAfter && (before + after) * 10 >= look.rim * 9
            guard isEdge, before != after else { return nil }
            return before > after ? .grew : .shrank
        }
        let isMapped =
            look.colours > 0 && look.colours * 4 <= look.changed
            && look.broken_forth * 50 <= look.changed && look.broken_back * 50 <= look.changed
        return isMapped ? .recoloured : nil
    }

    /// Returns the one move that explains a box, or `nil`.
    ///
    /// The capture shows one part of the reference's box in another part, equal in 99 % of the
    /// pixels; 98 % of the changed pixels lie in these two parts; and lines of the content that are
    /// unlike all others are found again there. If two moves are possible, neither is returned.
    private func move(_ box: farm_box) -> (dx: Int, dy: Int)? {
        guard box.area <= Self.boxPixelsMax else { return nil }
        var moves = [farm_move](repeating: farm_move(), count: Int(FARM_MOVES))
        let count = alignment.withPair(reference, capture) {
            farm_region_moves($0, classes.classes, [box], Self.moveMax, &moves)
        }
        moves.removeLast(moves.count - Int(count))
        // The same rows prove all moves straight up or down.
        let upright = moves.contains { $0.dx == 0 } ? rows(of: box, by: 0) : nil
        let proven = moves.filter { move in
            let (dx, dy) = (Int(move.dx), Int(move.dy))
            let from = box.leaving(dx, dy)
            return isProven(from, dx, dy, rows: dx == 0 ? upright : nil)
        }
        guard proven.count == 1, let move = proven.first else { return nil }
        return (Int(move.dx), Int(move.dy))
    }

    /// Whether lines of `from` that are unlike all others are found where the move puts them:
    /// columns for a move sideways, rows (`known`, if given) for a move up or down.
    private func isProven(
        _ from: farm_box,
        _ dx: Int,
        _ dy: Int,
        rows known: DistinctLines? = nil
    ) -> Bool {
        if dx != 0 {
            let columns = alignment.withPair(reference, capture) {
                DistinctLines(columnsOf: $0, from, by: dy)
            }
            guard columns.prove(dx, in: Int(from.left)..<Int(from.right)) else { return false }
        }
        let rows = dy == 0 ? nil : known ?? rows(of: from, by: dx)
        return rows?.prove(dy, in: Int(from.top)..<Int(from.bottom)) ?? true
    }

    private func rows(of box: farm_box, by dx: Int) -> DistinctLines {
        alignment.withPair(reference, capture) { DistinctLines(rowsOf: $0, box, by: dx) }
    }

    /// Whether a region is text.
    ///
    /// Before and after, one ground colour covers over half of the box, and on it lie at least
    /// three runs of ink, with 70 % of the ink in runs no wider than two line heights. Most of the
    /// changed pixels are ink before or after.
    private func isText(_ region: farm_region) -> Bool {
        let box = region.cBox
        guard box.area <= Self.textPixelsMax else { return false }
        var columns = [UInt32](repeating: 0, count: Int(box.right - box.left))
        var changedInk = 0
        let looksLikeText = [Int32(1), 2].allSatisfy { side in
            var text = farm_text()
            alignment.withPair(reference, capture) {
                farm_region_text($0, classes.classes, [box], side, &columns, &text)
            }
            changedInk += text.changed_ink
            return text.runs >= 3 && text.ground > text.ink && text.ink > 0
                && text.narrow_ink * 10 >= text.ink * 7
        }
        return looksLikeText && changedInk * 2 > region.pixels
    }

    /// Turns pairs of equal regions, one that vanished and one that appeared, into moves.
    ///
    /// Such content moved farther than its own size. Content that occurs more than once could have
    /// come from anywhere, so it is not paired.
    func joinMoves(_ regions: [Explanation.Region]) -> [Explanation.Region] {
        var regions = regions
        for from in regions.indices where regions[from].kind == .vanished {
            for to in regions.indices where regions[to].kind == .appeared {
                guard let move = move(regions[from].box, to: regions[to].box) else { continue }
                regions[from].kind = .moved(dx: move.dx, dy: move.dy)
                regions[to].kind = .moved(dx: move.dx, dy: move.dy)
                break
            }
        }
        return regions
    }

    private func move(_ from: PixelBox, to: PixelBox) -> (dx: Int, dy: Int)? {
        guard from.width == to.width, from.height == to.height else { return nil }
        let dx = to.x - from.x
        let dy = to.y - from.y
        let isMoved = alignment.withPair(reference, capture) {
            farm_content_moved($0, [from.clamped], Int32(dx), Int32(dy)) != 0
        }
        return isMoved && isProven(from.clamped, dx, dy) ? (dx, dy) : nil
    }
}

extension farm_region {
    var cBox: farm_box { farm_box(left: left, top: top, right: right, bottom: bottom) }
}

extension farm_box {
    var area: Int { Int(right - left) * Int(bottom - top) }

    /// Returns the part of the box whose content is still in the box after a move by `dx` and `dy`
    /// pixels; the box must be larger than the move.
    func leaving(_ dx: Int, _ dy: Int) -> farm_box {
        farm_box(
            left: left + UInt32(max(-dx, 0)),
            top: top + UInt32(max(-dy, 0)),
            right: right - UInt32(max(dx, 0)),
            bottom: bottom - UInt32(max(dy, 0))
        )
    }
}
