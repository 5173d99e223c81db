// Line and column of a place in a text, for people who look for it in an editor.

/// The line and column of an offset in a text; moves only forward, so that one walk over the text
/// finds all its places.
struct TextPlace {
    /// The offset in bytes.
    private(set) var offset: Int
    private(set) var line = 1
    /// The column from 1, in characters of Unicode.
    private(set) var column = 1

    init(offset: Int) { self.offset = offset }

    mutating func move(to place: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        while offset < min(place, bytes.count) {
            if bytes[offset] == UInt8(ascii: "\n") {
                line += 1
                column = 0
            }
            offset += 1
            if offset == bytes.count || bytes[offset] & 0xC0 != 0x80 { column += 1 }
        }
    }
}
