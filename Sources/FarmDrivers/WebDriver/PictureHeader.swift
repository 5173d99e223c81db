// Reads the size of a PNG from its header. Another target decodes pictures.
import FarmCore
import Foundation

/// Reads the first chunk of a PNG.
enum PictureHeader {
    private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// Returns width and height, or `nil` if the bytes do not begin as a PNG does.
    static func size(of bytes: Data) -> PixelSize? {
        let head = [UInt8](bytes.prefix(24))
        guard head.count == 24, head.starts(with: signature),
            head[8..<16].elementsEqual([0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
        else { return nil }
        return PixelSize(width: number(head[16..<20]), height: number(head[20..<24]))
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reduce(0) { $0 << 8 | Int($1) }
    }
}
