// The CI's own pages of the job that runs, where people go on from a result.

enum CIPage {
    /// The page of the job, or of its run; nil where the environment names none.
    static func of(_ environment: [String: String]) -> String? { find(environment)?.page }

    /// Where the job's artifacts can be downloaded; the job's page where there is no other.
    static func artifacts(_ environment: [String: String]) -> String? {
        find(environment)?.artifacts
    }

    /// What stands behind a page's URL for its artifacts.
    ///
    /// A browser that finds no such place on a page shows the page.
    private static let artifactsOf = [
        ("CIRCLE_BUILD_URL", "#artifacts"), ("BITRISE_BUILD_URL", "?tab=artifacts"),
        ("CI_JOB_URL", "/artifacts/browse"),
    ]

    private static func find(
        _ environment: [String: String]
    ) -> (page: String, artifacts: String)? {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        // Said by a job that speaks for another, such as one that a fork's run started.
        if let page = value("SNAPFARM_PAGE") { return (page, page + "#artifacts") }
        for (name, ending) in artifactsOf {
            if let page = value(name) { return (page, page + ending) }
        }
        // BUILD_URL is a name that others may use for something else.
        if value("JENKINS_URL") != nil, let page = value("BUILD_URL") {
            return (page, page + (page.hasSuffix("/") ? "artifact/" : "/artifact/"))
        }
        if let page = value("BUILDKITE_BUILD_URL") {
            // The build's page, opened at the job: its artifacts are a tab of it.
            return (page, value("BUILDKITE_JOB_ID").map { "\(page)#\($0)" } ?? page)
        }
        if let server = value("GITHUB_SERVER_URL"), let repository = value("GITHUB_REPOSITORY"),
            let run = value("GITHUB_RUN_ID")
        {
            let page = "\(server)/\(repository)/actions/runs/\(run)"
            return (page, page + "#artifacts")
        }
        if let repository = value("BITBUCKET_REPO_FULL_NAME"),
            let build = value("BITBUCKET_BUILD_NUMBER")
        {
            let page = "https://bitbucket.org/\(repository)/pipelines/results/\(build)"
            return (page, page)
        }
        return nil
    }
}
