// The table of the variables that each CI provider sets, read from top to bottom, with the generic
// rows last. Sources: the providers' references of 2026.

/// The CI provider that runs this process.
package enum CIProvider: String, Hashable, Sendable, CaseIterable {
    case circleCI = "circleci"
    case bitrise
    case gitHub = "github"
    case gitLab = "gitlab"
    case buildkite
    case bitbucket
    case semaphore
    case jenkins
    /// A CI that sets only `CI=true`.
    case generic = "ci"
}

/// The variables that one CI provider sets.
///
/// In each list of variables, the first that is set counts.
struct CIProviderRow: Sendable {
    let provider: CIProvider
    /// The variable by which the provider is recognised, and its value, or `nil` for any value.
    let sign: (name: String, value: String?)
    /// The alternatives for the run's key: each is a list of variables that must all be set, and
    /// whose values are joined with `-`.
    var key: [[String]] = []
    /// The alternatives for the run's key without the number of the attempt; empty if a repeated
    /// job keeps its key.
    var sharedKey: [[String]] = []
    var commit: [String] = []
    var branch: [String] = []
    var pullRequest: [String] = []
    var shard: CIShareRow?
    /// The template of the URL of the job's page, or of its run's; `{NAME}` stands for a variable.
    var page = ""
    /// The template of the text that follows ``page`` in the URL of the job's artifacts.
    ///
    /// A browser that finds no such place on a page shows the page.
    var artifacts = ""
    /// The name of the file with the differing pictures, as users download it: a zip that the
    /// provider makes of the output folder, or the run's own if the provider offers single files.
    var zipName = FailureZip.name

    static let table: [CIProviderRow] = [
        // A rerun is a new workflow, and so a new run. "Rerun from failed" keeps the workspace,
        // which holds the parts of the previous workflow.
        CIProviderRow(
            provider: .circleCI,
            sign: ("CIRCLECI", "true"),
            key: [["CIRCLE_WORKFLOW_ID"]],
            sharedKey: [["CIRCLE_WORKFLOW_WORKSPACE_ID"], ["CIRCLE_PIPELINE_ID"]],
            commit: ["CIRCLE_SHA1"],
            branch: ["CIRCLE_BRANCH"],
            pullRequest: ["CIRCLE_PULL_REQUEST", "CIRCLE_PR_NUMBER"],
            shard: CIShareRow(index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL", base: 0),
            page: "{CIRCLE_BUILD_URL}",
            artifacts: "#artifacts"
        ),
        CIProviderRow(
            provider: .bitrise,
            sign: ("BITRISE_IO", "true"),
            key: [["BITRISEIO_PIPELINE_ID"], ["BITRISE_BUILD_SLUG"]],
            commit: ["BITRISE_GIT_COMMIT", "GIT_CLONE_COMMIT_HASH"],
            branch: ["BITRISE_GIT_BRANCH"],
            pullRequest: ["BITRISE_PULL_REQUEST"],
            shard: CIShareRow(
                index: "BITRISE_IO_PARALLEL_INDEX",
                total: "BITRISE_IO_PARALLEL_TOTAL",
                base: 0
            ),
            page: "{BITRISE_BUILD_URL}",
            artifacts: "?tab=artifacts"
        ),
        // GitHub gives a job no index in its matrix; see `CIShareRow.own`.
        CIProviderRow(
            provider: .gitHub,
            sign: ("GITHUB_ACTIONS", "true"),
            key: [["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"], ["GITHUB_RUN_ID"]],
            // "Re-run failed jobs" counts the attempt up for those jobs only.
            sharedKey: [["GITHUB_RUN_ID"]],
            commit: ["GITHUB_SHA"],
            branch: ["GITHUB_HEAD_REF", "GITHUB_REF_NAME"],
            pullRequest: ["GITHUB_REF"],
            page: "{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}",
            artifacts: "#artifacts",
            zipName: "snapfarm.zip"
        ),
        CIProviderRow(
            provider: .gitLab,
            sign: ("GITLAB_CI", nil),
            key: [["CI_PIPELINE_ID"]],
            commit: ["CI_COMMIT_SHA"],
            branch: ["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"],
            pullRequest: ["CI_MERGE_REQUEST_IID"],
            shard: CIShareRow(index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", base: 1),
            page: "{CI_JOB_URL}",
            artifacts: "/artifacts/browse",
            zipName: "artifacts.zip"
        ),
        CIProviderRow(
            provider: .buildkite,
            sign: ("BUILDKITE", "true"),
            key: [["BUILDKITE_BUILD_ID"]],
            commit: ["BUILDKITE_COMMIT"],
            branch: ["BUILDKITE_BRANCH"],
            pullRequest: ["BUILDKITE_PULL_REQUEST"],
            shard: CIShareRow(
                index: "BUILDKITE_PARALLEL_JOB",
                total: "BUILDKITE_PARALLEL_JOB_COUNT",
                base: 0
            ),
            // The build's page, opened at the job: its artifacts are a tab of it.
            page: "{BUILDKITE_BUILD_URL}",
            artifacts: "#{BUILDKITE_JOB_ID}"
        ),
        CIProviderRow(
            provider: .bitbucket,
            sign: ("BITBUCKET_BUILD_NUMBER", nil),
            key: [["BITBUCKET_PIPELINE_UUID"], ["BITBUCKET_BUILD_NUMBER"]],
            commit: ["BITBUCKET_COMMIT"],
            branch: ["BITBUCKET_BRANCH"],
            pullRequest: ["BITBUCKET_PR_ID"],
            shard: CIShareRow(
                index: "BITBUCKET_PARALLEL_STEP",
                total: "BITBUCKET_PARALLEL_STEP_COUNT",
                base: 0
            ),
            page: "https://bitbucket.org/{BITBUCKET_REPO_FULL_NAME}/pipelines/results/"
                + "{BITBUCKET_BUILD_NUMBER}"
        ),
        CIProviderRow(
            provider: .semaphore,
            sign: ("SEMAPHORE", "true"),
            key: [["SEMAPHORE_WORKFLOW_ID"]],
            commit: ["SEMAPHORE_GIT_SHA"],
            branch: ["SEMAPHORE_GIT_BRANCH"],
            pullRequest: ["SEMAPHORE_GIT_PR_NUMBER"],
            shard: CIShareRow(
                index: "SEMAPHORE_JOB_INDEX",
                total: "SEMAPHORE_JOB_COUNT",
                base: 1
            )
        ),
        // Restarting part of a build makes a new build: Jenkins has no other distinction.
        CIProviderRow(
            provider: .jenkins,
            sign: ("JENKINS_URL", nil),
            key: [["BUILD_TAG"]],
            commit: ["GIT_COMMIT"],
            branch: ["CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"],
            pullRequest: ["CHANGE_ID"],
            page: "{BUILD_URL}",
            artifacts: "artifact/",
            zipName: "archive.zip"
        ),
        // Bitrise sets CI to "true" or "false", so any other value is ignored.
        CIProviderRow(provider: .generic, sign: ("CI", "true")),
        // An unknown CI that does not set `CI`, but names a pull request.
        CIProviderRow(provider: .generic, sign: ("SNAPFARM_PULL_REQUEST", nil)),
    ]

    func matches(_ environment: [String: String]) -> Bool {
        guard let value = environment[sign.name], !value.isEmpty else { return false }
        return sign.value.map { $0 == value } ?? (value != "false")
    }

    /// Returns the URLs of the job's page and of its artifacts, which is the job's page if there is
    /// no other; `nil` if the environment names no page.
    ///
    /// SNAPFARM_PAGE overrules the provider: a job may speak for another, such as one that a fork's
    /// run started.
    func pages(_ environment: [String: String]) -> (page: String, artifacts: String)? {
        let own = Self.text("{SNAPFARM_PAGE}", environment)
        guard let page = own ?? Self.text(page, environment) else { return nil }
        let ending = own == nil ? artifacts : "#artifacts"
        return (page, page + (Self.text(ending, environment) ?? ""))
    }

    /// Returns `template` with the values of its variables, or `nil` if a variable is not set or
    /// the text is empty.
    private static func text(_ template: String, _ environment: [String: String]) -> String? {
        var pieces = template.split(separator: "{", omittingEmptySubsequences: false)[...]
        var text = String(pieces.removeFirst())
        for piece in pieces {
            let parts = piece.split(separator: "}", omittingEmptySubsequences: false)
            guard let value = environment[String(parts[0])], !value.isEmpty else { return nil }
            text += value + parts.dropFirst().joined(separator: "}")
        }
        return text.isEmpty ? nil : text
    }
}
