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
    let environment: [String: String]
}
