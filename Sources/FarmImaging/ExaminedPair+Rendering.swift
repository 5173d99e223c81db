// The measure of the difference in drawing of two pictures. The judge of a run compares it with that
// of probes.
import CFarmShims
import FarmCore

extension ExaminedPair {
    /// Measures how differently the pictures are drawn, apart from the `ignored` regions; `nil` if
    /// their sizes differ, a sample has more than 8 bits, or there is no memory.
    package func rendering(ignoring ignored: [PixelBox]) -> RenderingMeasure? {
        guard case .differing(let reference, let whole, _) = self else { return .zero }
        guard reference.size == whole.size, !reference.isDeep, !whole.isDeep else { return nil }
        let capture = ignored.isEmpty ? whole : whole.taking(ignored, from: reference)
        var found = farm_rendering()
        let isMeasured = withPictures(reference, capture) { one, other in
            farm_rendering_measure(
                one,
                other,
                UInt32(reference.width),
                UInt32(reference.height),
                &found
            )
        }
        return isMeasured == 0 ? nil : RenderingMeasure(found)
    }
}

extension RenderingMeasure {
    fileprivate init(_ found: farm_rendering) {
        // The numbers of C are in the order of `sides`, then of `contrasts`.
        self.init(
            withUnsafeBytes(of: found) { $0.bindMemory(to: UInt32.self).map { Int($0) } }
        )
    }
}
