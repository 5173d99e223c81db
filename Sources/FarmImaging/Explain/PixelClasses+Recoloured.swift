// Takes the recoloured pixels of two pictures out of their classes.
import CFarmShims
import FarmCore

extension PixelClasses {
    /// Finds the recolourings of two pictures, and makes the changed pixels that they explain
    /// `same`.
    ///
    /// Pictures and alignment must be those of the classes.
    mutating func takeRecolourings(
        _ reference: Bitmap,
        _ capture: Bitmap,
        _ alignment: PictureAlignment?
    ) -> [Explanation.Recolouring] {
        var table = [farm_colours](repeating: farm_colours(), count: Int(FARM_PAIRS))
        var found = [farm_recolour](repeating: farm_recolour(), count: Int(FARM_RECOLOURS))
        let count = (alignment ?? PictureAlignment()).withPair(reference, capture) {
            farm_recolours($0, &classes, &table, &found)
        }
        return found.prefix(count).map { one in
            Explanation.Recolouring(
                from: Colour(one.from.0, one.from.1, one.from.2, one.from.3),
                to: Colour(one.to.0, one.to.1, one.to.2, one.to.3),
                pixels: one.pixels
            )
        }
    }
}
