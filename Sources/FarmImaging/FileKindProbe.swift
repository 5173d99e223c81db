// Recognises the kind of a file that is not a PNG, by its first bytes.

enum FileKindProbe {
    static func kind(of bytes: UnsafeBufferPointer<UInt8>) -> PictureError.FileKind {
        let head = Array(bytes.prefix(64))
        if head.starts(with: [0xFF, 0xD8, 0xFF]) { return .jpeg }
        if head.starts(with: Array("GIF8".utf8)) { return .gif }
        if head.starts(with: Array("RIFF".utf8)), head.dropFirst(8).starts(with: Array("WEBP".utf8))
        {
            return .webp
        }
        if head.starts(with: Array("version https://git-lfs".utf8)) { return .lfsPointer }
        let text = head.drop { [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        return text.first == UInt8(ascii: "<") ? .markup : .unknown
    }
}
