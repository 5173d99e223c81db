// The CI's own page of the job that runs, where people go on from a result.

enum CIPage {
    /// Nil where the environment names none.
    static func of(_ environment: [String: String]) -> String? {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        for name in ["CIRCLE_BUILD_URL", "BITRISE_BUILD_URL", "CI_JOB_URL", "BUILDKITE_BUILD_URL"] {
            if let page = value(name) { return page }
        }
        if let server = value("GITHUB_SERVER_URL"), let repository = value("GITHUB_REPOSITORY"),
            let run = value("GITHUB_RUN_ID")
        {
            return "\(server)/\(repository)/actions/runs/\(run)"
        }
        if let repository = value("BITBUCKET_REPO_FULL_NAME"),
            let build = value("BITBUCKET_BUILD_NUMBER")
        {
            return "https://bitbucket.org/\(repository)/pipelines/results/\(build)"
        }
        return nil
    }
}
