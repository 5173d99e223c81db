// Warnings about a picture that is about to become a reference, such as a picture at the wrong
// scale.
import FarmCore
import FarmImaging

enum PictureWarning {
    /// Returns a warning about a picture as one sentence, or `nil` if it looks right.
    static func text(_ look: PictureLook, cell: Cell) -> String? {
        if look.isFlat { return "it is one flat colour; was the screen drawn?" }
        guard let device = cell.device, let pixels = cell.pixels, look.size != pixels else {
            return nil
        }
        for scale in [1.0, 2.0, 3.0] where scale != device.scale {
            let other = Device(
                name: device.name,
                os: nil,
                width: device.width,
                height: device.height,
                scale: scale
            )
            if look.size == Cell(id: cell.id, device: other, variant: cell.variant).pixels {
                return "it is \(look.size), the screen at scale \(Int(scale)), not at the cell's "
                    + "scale: \(pixels)."
            }
        }
        return nil
    }
}
