import FarmCore

/// What the command line asks for.
struct RunRequest: Sendable {
    let file: String
    let mode: RunMode
    let select: [String]
    let workers: Int
    let output: String
    let data: String?
    let port: Int
    let resumes: Bool
    /// Without the pipeline's quarantine.
    let rules: RunRules
    let printsJSON: Bool
    let isQuiet: Bool
    /// Where the history of runs is read and kept; nil: nowhere.
    var history: HistoryFile? = nil
    /// Which machine of how many, as the command line says; nil: as the CI says.
    var shard: ShardPlace? = nil
    /// What this machine's workers offer beside what they find, as on the command line.
    var offer: [String] = []
    let environment: [String: String]
    /// The run is on a coordinator elsewhere.
    var isElsewhere = false
}
