// The table of the variables that each CI provider sets, read from top to bottom, with the generic
// rows last. Sources: the providers' references of 2026.

/// The CI that runs this process.
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

    /// The name of the file with the differences, as a person downloads it from a job's artifacts:
    /// a zip that the provider makes of the output folder, or the run's own zip if the provider
    /// offers single files.
    package var zipName: String {
        switch self {
        case .gitHub: "snapfarm.zip"
        case .gitLab: "artifacts.zip"
        case .jenkins: "archive.zip"
        case .circleCI, .bitrise, .buildkite, .bitbucket, .semaphore, .generic: "FailureDiffs.zip"
        }
    }
}

/// One row of the table; in a list of variables, the first that is set counts.
struct CIProviderRow: Sendable {
    let provider: CIProvider
    /// The variable that identifies the provider, and its value; `nil` means any value.
    let sign: (name: String, value: String?)
    /// Alternatives for the run's key; the variables of one must all be set, and are joined with
    /// `-`.
    var key: [[String]] = []
    /// Alternatives without the number of the attempt; empty if a job that is run again keeps its
    /// key.
    var sharedKey: [[String]] = []
    var commit: [String] = []
    var branch: [String] = []
    var pullRequest: [String] = []
    var shard: CIShardRow?

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
            shard: CIShardRow(index: "CIRCLE_NODE_INDEX", total: "CIRCLE_NODE_TOTAL", base: 0)
        ),
        CIProviderRow(
            provider: .bitrise,
            sign: ("BITRISE_IO", "true"),
            key: [["BITRISEIO_PIPELINE_ID"], ["BITRISE_BUILD_SLUG"]],
            commit: ["BITRISE_GIT_COMMIT", "GIT_CLONE_COMMIT_HASH"],
            branch: ["BITRISE_GIT_BRANCH"],
            pullRequest: ["BITRISE_PULL_REQUEST"],
            shard: CIShardRow(
                index: "BITRISE_IO_PARALLEL_INDEX",
                total: "BITRISE_IO_PARALLEL_TOTAL",
                base: 0
            )
        ),
        // GitHub gives a job no index in its matrix; see `CIShardRow.own`.
        CIProviderRow(
            provider: .gitHub,
            sign: ("GITHUB_ACTIONS", "true"),
            key: [["GITHUB_RUN_ID", "GITHUB_RUN_ATTEMPT"], ["GITHUB_RUN_ID"]],
            // "Re-run failed jobs" counts the attempt up for those jobs only.
            sharedKey: [["GITHUB_RUN_ID"]],
            commit: ["GITHUB_SHA"],
            branch: ["GITHUB_HEAD_REF", "GITHUB_REF_NAME"],
            pullRequest: ["GITHUB_REF"]
        ),
        CIProviderRow(
            provider: .gitLab,
            sign: ("GITLAB_CI", nil),
            key: [["CI_PIPELINE_ID"]],
            commit: ["CI_COMMIT_SHA"],
            branch: ["CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"],
            pullRequest: ["CI_MERGE_REQUEST_IID"],
            shard: CIShardRow(index: "CI_NODE_INDEX", total: "CI_NODE_TOTAL", base: 1)
        ),
        CIProviderRow(
            provider: .buildkite,
            sign: ("BUILDKITE", "true"),
            key: [["BUILDKITE_BUILD_ID"]],
            commit: ["BUILDKITE_COMMIT"],
            branch: ["BUILDKITE_BRANCH"],
            pullRequest: ["BUILDKITE_PULL_REQUEST"],
            shard: CIShardRow(
                index: "BUILDKITE_PARALLEL_JOB",
                total: "BUILDKITE_PARALLEL_JOB_COUNT",
                base: 0
            )
        ),
        CIProviderRow(
            provider: .bitbucket,
            sign: ("BITBUCKET_BUILD_NUMBER", nil),
            key: [["BITBUCKET_PIPELINE_UUID"], ["BITBUCKET_BUILD_NUMBER"]],
            commit: ["BITBUCKET_COMMIT"],
            branch: ["BITBUCKET_BRANCH"],
            pullRequest: ["BITBUCKET_PR_ID"],
            shard: CIShardRow(
                index: "BITBUCKET_PARALLEL_STEP",
                total: "BITBUCKET_PARALLEL_STEP_COUNT",
                base: 0
            )
        ),
        CIProviderRow(
            provider: .semaphore,
            sign: ("SEMAPHORE", "true"),
            key: [["SEMAPHORE_WORKFLOW_ID"]],
            commit: ["SEMAPHORE_GIT_SHA"],
            branch: ["SEMAPHORE_GIT_BRANCH"],
            pullRequest: ["SEMAPHORE_GIT_PR_NUMBER"],
            shard: CIShardRow(
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
            pullRequest: ["CHANGE_ID"]
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
}
