// The CI's own pages of the current job, which a result links to.

enum CIPage {
    /// Returns the page of the job, or of its run; `nil` if the environment names none.
    static func of(_ environment: [String: String]) -> String? { find(environment)?.page }

    /// Returns the page with the job's artifacts, or the job's page if there is no other.
    static func artifacts(_ environment: [String: String]) -> String? {
        find(environment)?.artifacts
    }

    /// The endings that lead from a job's page to its artifacts.
    ///
    /// If the page has no such anchor, a browser shows the page.
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
        // A job sets SNAPFARM_PAGE if it reports for another job, such as the run of a fork.
        if let page = value("SNAPFARM_PAGE") { return (page, page + "#artifacts") }
        for (name, ending) in artifactsOf {
            if let page = value(name) { return (page, page + ending) }
        }
        // BUILD_URL alone is no sign of Jenkins: other programs use the name too.
        if value("JENKINS_URL") != nil, let page = value("BUILD_URL") {
            return (page, page + (page.hasSuffix("/") ? "artifact/" : "/artifact/"))
        }
        if let page = value("BUILDKITE_BUILD_URL") {
            // On the build's page, artifacts are a tab of the job.
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
