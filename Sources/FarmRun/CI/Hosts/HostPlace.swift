// The place on a Git host for a run's result, found in the environment of any CI. The token that a
// CI gives to every job is not used: a user who wants the comment sets SNAPFARM_GITHUB_TOKEN, or
// that of another host.
import FarmCore
import Foundation

/// A commit of a repository on a Git host, and its pull request if it has one.
package struct HostPlace: Hashable, Sendable {
    package var kind: GitHostKind = .gitHub
    /// The address of the host's API, without a slash at its end.
    package var api: String = "https://api.github.com"
    /// The repository as `owner/name`; on GitLab with all groups.
    package var repository: String
    /// The commit in lower-case hexadecimal: the head of the pull request, not a merge commit that
    /// was never pushed.
    package var commit: String
    /// The number of the pull request, or `nil` for a push to a branch.
    package var pullRequest: Int?
    /// The URL of the CI's own page of this run, or `nil` if the CI does not give it.
    package var page: String?
    /// The URL of the page with this job's artifacts, or `nil` if the CI does not give it.
    package var artifacts: String?
    /// GitLab's id of the pipeline that runs this job; `nil` elsewhere.
    package var pipeline: Int64?

    /// The address of the host's website: `https://github.com`, or the team's own host.
    package var server: String {
        switch api {
        case "https://api.github.com": return "https://github.com"
        case "https://api.bitbucket.org/2.0": return "https://bitbucket.org"
        default:
            for ending in ["/api/v3", "/api/v4"] where api.hasSuffix(ending) {
                return String(api.dropLast(ending.count))
            }
            return api
        }
    }

    /// Finds the place in the environment, or returns `nil` if the repository or the commit is
    /// missing or invalid.
    ///
    /// `event` is the file of GitHub Actions about the event (`GITHUB_EVENT_PATH`), the only source
    /// of a pull request's head.
    package static func find(
        _ kind: GitHostKind,
        _ environment: [String: String],
        _ ci: CIEnvironment?,
        event: Data?
    ) -> HostPlace? {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        func joined(_ owner: String, _ name: String) -> String? {
            guard let owner = value(owner), let name = value(name) else { return nil }
            return "\(owner)/\(name)"
        }
        let api: String
        let known: String?
        var head: String?
        switch kind {
        case .gitHub:
            api = value("GITHUB_API_URL") ?? "https://api.github.com"
            known =
                value("GITHUB_REPOSITORY")
                ?? joined("CIRCLE_PROJECT_USERNAME", "CIRCLE_PROJECT_REPONAME")
                ?? joined("BITRISEIO_GIT_REPOSITORY_OWNER", "BITRISEIO_GIT_REPOSITORY_SLUG")
            let event = event.flatMap { try? JSONDecoder().decode(GitHubEvent.self, from: $0) }
            head = event?.pullRequest?.head.sha
        case .gitLab:
            api = value("CI_API_V4_URL") ?? "https://gitlab.com/api/v4"
            known = value("CI_MERGE_REQUEST_PROJECT_PATH") ?? value("CI_PROJECT_PATH")
            // Set only if GitLab tests a merge commit that was never pushed.
            head = value("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA")
        case .bitbucket:
            api = value("SNAPFARM_BITBUCKET_API") ?? "https://api.bitbucket.org/2.0"
            known = value("BITBUCKET_REPO_FULL_NAME")
        }
        let commit = value("SNAPFARM_COMMIT") ?? head ?? ci?.commit ?? ""
        guard let repository = value(kind.repositoryVariable) ?? known,
            isRepository(repository, on: kind), isCommit(commit)
        else { return nil }
        return HostPlace(
            kind: kind,
            api: api.hasSuffix("/") ? String(api.dropLast()) : api,
            repository: repository,
            commit: commit.lowercased(),
            pullRequest: ci.flatMap { Int($0.pullRequest) }.flatMap { $0 > 0 ? $0 : nil },
            page: ci?.page,
            artifacts: ci?.artifacts,
            pipeline: kind == .gitLab ? value("CI_PIPELINE_ID").flatMap(Int64.init) : nil
        )
    }

    /// The most names in a GitLab path: 20 groups and the project.
    private static let namesMax = 21

    /// Whether `text` is an owner and a name with safe characters only, because they go into a
    /// path.
    static func isRepository(_ text: String, on kind: GitHostKind = .gitHub) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        let isDeep = kind == .gitLab ? (2...namesMax).contains(parts.count) : parts.count == 2
        return isDeep
            && parts.allSatisfy { part in
                !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255
                    && part.utf8.allSatisfy {
                        ($0 | 0x20) >= UInt8(ascii: "a") && ($0 | 0x20) <= UInt8(ascii: "z")
                            || (48...57).contains($0) || $0 == UInt8(ascii: "-")
                            || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
                    }
            }
    }

    private static func isCommit(_ text: String) -> Bool {
        [40, 64].contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                (48...57).contains(byte) || (97...102).contains(byte | 0x20)
            }
    }
}

/// The part of a GitHub event that is read: its pull request, or `nil` for other events.
private struct GitHubEvent: Decodable {
    struct PullRequest: Decodable {
        struct Head: Decodable {
            let sha: String
        }
        let head: Head
    }
    let pullRequest: PullRequest?

    private enum CodingKeys: String, CodingKey {
        case pullRequest = "pull_request"
    }
}
