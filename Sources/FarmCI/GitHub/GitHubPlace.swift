// Where on GitHub a run is to be shown, found in the environment of any CI. A token that GitHub
// Actions gives to every job is not taken unasked: who wants the comment says SNAPFARM_GITHUB_TOKEN.
import FarmCore
import Foundation

/// A commit of a repository on GitHub, and its pull request if it has one.
package struct GitHubPlace: Hashable, Sendable {
    /// Without a slash at its end.
    package var api: String
    /// `owner/name`.
    package var repository: String
    /// Lower-case hexadecimal, the head of the pull request and not GitHub's merge commit.
    package var commit: String
    /// Nil for a push to a branch.
    package var pullRequest: Int?
    /// The CI's own page of this run; nil where the CI does not tell.
    package var page: String?
    /// Where the artifacts of this job can be downloaded; nil where the CI does not tell.
    package var artifacts: String?

    package init(
        api: String = "https://api.github.com",
        repository: String,
        commit: String,
        pullRequest: Int?,
        page: String? = nil,
        artifacts: String? = nil
    ) {
        self.api = api
        self.repository = repository
        self.commit = commit
        self.pullRequest = pullRequest
        self.page = page
        self.artifacts = artifacts
    }

    /// Where people look: `https://github.com`, or the host of a GitHub Enterprise.
    package var server: String {
        if api == "https://api.github.com" { return "https://github.com" }
        return api.hasSuffix("/api/v3") ? String(api.dropLast("/api/v3".count)) : api
    }

    /// Reads the environment; nil where repository or commit are not said or cannot be right.
    ///
    /// `event` is what GitHub Actions wrote about the event (`GITHUB_EVENT_PATH`): there alone
    /// stands the head of a pull request.
    package static func find(
        _ environment: [String: String],
        _ ci: CIEnvironment?,
        event: Data?
    ) -> GitHubPlace? {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        func joined(_ owner: String, _ name: String) -> String? {
            guard let owner = value(owner), let name = value(name) else { return nil }
            return "\(owner)/\(name)"
        }
        let repository =
            value("SNAPFARM_GITHUB_REPOSITORY") ?? value("GITHUB_REPOSITORY")
            ?? joined("CIRCLE_PROJECT_USERNAME", "CIRCLE_PROJECT_REPONAME")
            ?? joined("BITRISEIO_GIT_REPOSITORY_OWNER", "BITRISEIO_GIT_REPOSITORY_SLUG")
        let event = event.flatMap { try? JSONDecoder().decode(GitHubEvent.self, from: $0) }
        let commit = event?.pullRequest?.head.sha ?? ci?.commit ?? ""
        guard let repository, isRepository(repository), isCommit(commit) else { return nil }
        let api = value("GITHUB_API_URL") ?? "https://api.github.com"
        return GitHubPlace(
            api: api.hasSuffix("/") ? String(api.dropLast()) : api,
            repository: repository,
            commit: commit.lowercased(),
            pullRequest: ci.flatMap { Int($0.pullRequest) }.flatMap { $0 > 0 ? $0 : nil },
            page: CIPage.of(environment),
            artifacts: CIPage.artifacts(environment)
        )
    }

    /// Owner and name go into a path, so nothing else may stand in them.
    static func isRepository(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 100
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
