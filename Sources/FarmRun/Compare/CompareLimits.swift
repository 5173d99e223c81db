// Limits of `snapfarm compare`, beside the farm's own.

import FarmCore

extension FarmLimits {
    /// Bytes of one line of a list of pairs or of one request: two of the longest paths Linux
    /// takes, and room.
    static let pairLineBytesMax = 64 << 10
    /// Folders in folders; deeper trees of pictures are mistakes.
    static let comparedDepthMax = 64
    /// Names in one folder.
    static let comparedNamesMax = 2_000_000
    /// Names of other files that a document lists; all are counted.
    static let otherNamesMax = 100
    /// Pictures in only one of two folders that are decoded to find renames: about two minutes
    /// of one core.
    static let renameCandidatesMax = 20_000
    /// Pairs that one task compares before it reports.
    static let pairsPerTaskMax = 16
}
