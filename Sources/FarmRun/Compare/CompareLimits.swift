// The limits of `snapfarm compare`.

import FarmCore

extension FarmLimits {
    /// Bytes of one line of a list of pairs, or of one request: two of the longest paths of Linux,
    /// with some room.
    static let pairLineBytesMax = 64 << 10
    /// The depth of nested folders; a deeper tree of pictures is a mistake.
    static let comparedDepthMax = 64
    /// Names in one folder.
    static let comparedNamesMax = 2_000_000
    /// The most names of other files in a document; the document counts all of them.
    static let otherNamesMax = 100
    /// The most pictures that are decoded to find renames, of those in only one folder: about two
    /// minutes of one core.
    static let renameCandidatesMax = 20_000
    /// Pairs that one task compares before it reports.
    static let pairsPerTaskMax = 16
}
