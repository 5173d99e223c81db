// A run's place at its CI provider, as one value. The environment comes in as an argument; nothing here
// reads the process's own. Variables of our own overrule the provider: SNAPFARM_COMMIT if it names a
// merge that was never pushed, SNAPFARM_PULL_REQUEST if it names none, SNAPFARM_RUN_KEY for machines of
// several providers that work on one run, SNAPFARM_PAGE for a job that speaks for another, and those of
// `CIShareRow.own`.
import FarmCore

/// The facts that a CI provider gives about a run; a text is empty if the provider does not give
/// it.
package struct CIEnvironment: Hashable, Sendable {
    package var provider: CIProvider
    package var commit: String
    package var branch: String
    /// The number of the pull request, digits only; empty if there is none.
    package var pullRequest: String
    /// The key of the CI run, `<provider>:<id>`: the same for all machines and jobs of the run, and
    /// another for a rerun.
    ///
    /// If SNAPFARM_RUN_KEY is set, the key is `key:` and its text, for every provider.
    package var runKey: String
    /// The key of the CI run that its shards share.
    ///
    /// The key is ``runKey`` without the number of the attempt, so that a repeated job keeps it.
    package var sharedKey: String
    /// This machine's shard, or `nil` if the job is not split.
    package var shard: CIShare?
    /// The problems of invalid environment variables, which the run ignores.
    package var problems: [Problem]
    /// The paths at which the CI provider expects outputs, by the variable that names each; only
    /// variables that are set.
    package var sinks: [CISink: String]
    /// The URL of the CI's own page of the job, or `nil` if the provider does not give it.
    package var page: String?
    /// The URL of the page where users download the job's artifacts, or `nil` if the CI names no
    /// page.
    package var artifacts: String?
    /// The name of the file with the differing pictures, as users download it from the CI.
    package var zipName: String

    /// Returns the facts of the CI that the environment of a process describes, or `nil` outside of
    /// a CI.
    package static func detect(_ environment: [String: String]) -> CIEnvironment? {
        guard let row = CIProviderRow.table.first(where: { $0.matches(environment) }) else {
            return nil
        }
        func first(_ names: [String]) -> String {
            names.lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        }
        let own = CIShareRow.own.read(environment)
        let theirs = row.shard?.read(environment) ?? (shard: nil, problem: nil)
        let overruled = own.shard != nil || own.problem != nil
        let place = overruled ? own : theirs
        let said = ownKey(environment)
        let pages = row.pages(environment)
        return CIEnvironment(
            provider: row.provider,
            commit: first(["SNAPFARM_COMMIT"] + row.commit),
            branch: first(row.branch),
            pullRequest: pullRequest(first(["SNAPFARM_PULL_REQUEST"]), provider: .generic)
                ?? pullRequest(first(row.pullRequest), provider: row.provider) ?? "",
            runKey: said.key ?? runKey(row, row.key, environment),
            sharedKey: said.key ?? runKey(row, row.sharedKey + row.key, environment),
            shard: place.shard,
            problems: [place.problem, said.problem, unusable(environment)].compactMap { $0 },
            sinks: CISink.found(environment, provider: row.provider),
            page: pages?.page,
            artifacts: pages?.artifacts,
            zipName: row.zipName
        )
    }

    /// Returns the run's key from SNAPFARM_RUN_KEY, or `nil` if it is unset or unusable; an
    /// unusable one also gives a problem.
    private static func ownKey(
        _ environment: [String: String]
    ) -> (key: String?, problem: Problem?) {
        guard let text = environment["SNAPFARM_RUN_KEY"], !text.isEmpty else { return (nil, nil) }
        let key = "key:\(text)"
        guard !FleetNames.isUsable(key) else { return (key, nil) }
        let problem = Problem(
            code: "run-key-unusable",
            message: "SNAPFARM_RUN_KEY is no line of at most \(FleetNames.bytesMax - 4) bytes.",
            remedy: "The CI's own variables name the run instead. Set it to one short line, for "
                + "example the commit's hash."
        )
        return (nil, problem)
    }

    /// Returns the problem of a SNAPFARM_PULL_REQUEST that is set but is no number, or else `nil`.
    private static func unusable(_ environment: [String: String]) -> Problem? {
        guard let text = environment["SNAPFARM_PULL_REQUEST"], !text.isEmpty,
            pullRequest(text, provider: .generic) == nil
        else { return nil }
        return Problem(
            code: "pull-request-unusable",
            message: "SNAPFARM_PULL_REQUEST is no number of a pull request.",
            remedy: "The CI's own variables are used instead. Set it to the number, for example 7."
        )
    }

    private static func runKey(
        _ row: CIProviderRow,
        _ keys: [[String]],
        _ environment: [String: String]
    ) -> String {
        for names in keys {
            let values = names.compactMap { environment[$0] }.filter { !$0.isEmpty }
            guard values.count == names.count else { continue }
            return "\(row.provider.rawValue):\(values.joined(separator: "-"))"
        }
        return ""
    }

    /// Returns the pull request's number from the value of a CI's variable, or `nil` if it has
    /// none.
    ///
    /// CircleCI gives a URL that ends in the number, GitHub `refs/pull/N/merge`, Buildkite `false`
    /// if there is no pull request.
    private static func pullRequest(_ value: String, provider: CIProvider) -> String? {
        let parts = value.split(separator: "/")
        let number: Substring? =
            switch provider {
            case .gitHub: parts.count == 4 && parts.starts(with: ["refs", "pull"]) ? parts[2] : nil
            default: parts.last
            }
        guard let number, number.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        return String(number)
    }
}

/// A file or folder that a CI provider shows to users; the raw value is the variable with its path.
package enum CISink: String, Hashable, Sendable, CaseIterable {
    /// The folder of Bitrise's Artifacts tab, which shows its files but not those in folders below
    /// it.
    case deployFolder = "BITRISE_DEPLOY_DIR"
    /// The folder of Bitrise's test reports, with one folder per test run.
    case testResults = "BITRISE_TEST_RESULT_DIR"
    /// The folder of Bitrise's HTML reports, with one folder per report, each with an index.html.
    case htmlReports = "BITRISE_HTML_REPORT_DIR"
    /// The file of GitHub's job summary: Markdown to append to.
    case stepSummary = "GITHUB_STEP_SUMMARY"

    private var provider: CIProvider {
        switch self {
        case .deployFolder, .testResults, .htmlReports: .bitrise
        case .stepSummary: .gitHub
        }
    }

    static func found(
        _ environment: [String: String],
        provider: CIProvider
    ) -> [CISink: String] {
        var found: [CISink: String] = [:]
        for sink in allCases where sink.provider == provider {
            if let path = environment[sink.rawValue], !path.isEmpty { found[sink] = path }
        }
        return found
    }
}
