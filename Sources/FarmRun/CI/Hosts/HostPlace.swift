// Where on a Git host a run is to be shown, found in the environment of any CI. A token that a CI gives
// to every job is not taken unasked: who wants the comment says SNAPFARM_GITHUB_TOKEN, or that of
// another host.
import FarmCore
import Foundation

/// A commit of a repository on a Git host, and its pull request if it has one.
package struct HostPlace: Hashable, Sendable {
    package var kind: GitHostKind = .gitHub
    /// Without a slash at its end.
    package var api: String = "https://api.github.com"
    /// `owner/name`; on GitLab with all groups.
    package var repository: String
    /// Lower-case hexadecimal, the head of the pull request and not a merge that nobody pushed.
    package var commit: String
    /// Nil for a push to a branch.
    package var pullRequest: Int?
    /// The CI's own page of this run; nil where the CI does not tell.
    package var page: String?
    /// Where the artifacts of this job can be downloaded; nil where the CI does not tell.
    package var artifacts: String?
    /// GitLab's own number of the pipeline that runs this job; nil elsewhere.
    package var pipeline: Int64?

    /// Where people look: `https://github.com`, or the team's own host.
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

    /// Reads the environment; nil where repository or commit are not said or cannot be right.
    ///
    /// `event` is what GitHub Actions wrote about the event (`GITHUB_EVENT_PATH`): there alone
    /// stands the head of a pull request.
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
            // Set only where GitLab tests a merge that nobody pushed.
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

    /// Groups of GitLab lie at most so deep.
    private static let namesMax = 21

    /// Owner and name go into a path, so nothing else may stand in them.
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

/// The part of an event that is needed; other events have no pull request.
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
