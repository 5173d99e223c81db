// The limits of texts that are references.

extension FarmLimits {
    /// The most bytes of a text that is compared.
    package static let textBytesMax = 1 << 20
    /// The most bytes of a text's hunks in a report; the file of the difference has all.
    package static let textHunksBytesMax = 2_000
    /// The most boxes of what the new lines of a text name; the lines are longer than the boxes.
    package static let textBoxesMax = 32
    /// The most pairs of lines that are compared to find the shortest difference.
    package static let textPairsMax = 4_000_000
    /// The most bytes of axe-core's script.
    package static let axeBytesMax = 4 << 20
    /// The most parts of texts that one list may ignore.
    package static let ignoredTextsMax = 100
}
