// The limits of `snapfarm compare`.

import FarmCore

extension FarmLimits {
    /// The most bytes of one line of a list of pairs, or of one request: two of the longest paths
    /// of Linux, with some room.
    static let pairLineBytesMax = 64 << 10
    /// The greatest depth of nested folders; a deeper tree of pictures is a mistake.
    static let comparedDepthMax = 64
    /// The most names in one folder.
    static let comparedNamesMax = 2_000_000
    /// The most names of other files that a document lists; it counts all of them.
    static let otherNamesMax = 100
    /// The most pictures in only one folder that are decoded to find renames: about two minutes of
    /// one core.
    static let renameCandidatesMax = 20_000
    /// The most pairs that one task compares before it reports.
    static let pairsPerTaskMax = 16
}
