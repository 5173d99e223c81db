// The requests and answers of a Git host's API: pure, one type for each host. `HostClient` sends,
// waits and writes again, in the same way for all of them.
import FarmCore
import Foundation
import NIOHTTP1

/// The Git hosts that can show a run.
package enum GitHostKind: String, Hashable, Sendable, CaseIterable {
    case gitHub = "GitHub"
    case gitLab = "GitLab"
    case bitbucket = "Bitbucket"

    /// The variable with the token; without it nothing is sent.
    package var tokenVariable: String { "SNAPFARM_\(rawValue.uppercased())_TOKEN" }
    /// The variable that names the repository if the CI does not.
    package var repositoryVariable: String { "SNAPFARM_\(rawValue.uppercased())_REPOSITORY" }

    /// The rights that the token needs.
    var rights: String {
        switch self {
        case .gitHub: "the permissions `pull-requests: write` and `statuses: write`"
        case .gitLab: "the scope `api` and the role Developer"
        case .bitbucket: "the scopes `pullrequest:write` and `repository:write`"
        }
    }

    var statusPage: String {
        switch self {
        case .gitHub: "githubstatus.com"
        case .gitLab: "status.gitlab.com"
        case .bitbucket: "bitbucket.status.atlassian.com"
        }
    }
}

/// A call of a host's API.
struct HostRequest: Sendable {
    var method: HTTPMethod
    /// The path after the API's address, with its leading `/` and its query.
    var path: String
    var body: Data?
}

/// A comment in a host's list.
struct HostComment: Hashable, Sendable {
    var id: Int64
    var body: String
    /// The account that wrote it, or `nil` if the host does not name it.
    var author: String?
    /// Whether the host says that the account belongs to a person.
    var isByPerson = false

    /// Whether the token of `account` may have written the comment.
    ///
    /// An app cannot ask for its own account, so `account` is `nil`; its comments are not by a
    /// person.
    func canBe(of account: String?) -> Bool { account.map { $0 == author } ?? !isByPerson }
}

/// A page of a list.
struct HostPage<Item: Sendable>: Sendable {
    var items: [Item]
    var isLast: Bool
}

/// The requests to one host, and the readers of its answers.
///
/// A reader returns `nil` for an answer that differs from the host's documentation.
protocol GitHost: Sendable {
    var kind: GitHostKind { get }
    /// The markup of the comment.
    var style: CommentStyle { get }
    /// Returns the header with the token, and the other headers that the host needs.
    func headers(token: String) -> [(String, String)]

    /// Requests the comments of the pull request, the oldest first; pages count from 1.
    func comments(of number: Int, page: Int) throws -> HostRequest
    func readComments(_ body: Data) -> HostPage<HostComment>?
    func makeComment(on number: Int, _ body: String) throws -> HostRequest
    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest
    func removeComment(_ id: Int64, of number: Int) -> HostRequest
    func readMade(_ body: Data) -> Int64?
    /// Reads the token's own account, in the same form as `HostComment.author`.
    func readAccount(_ body: Data) -> String?

    /// Requests the pull request, whose newest commit may come shortened.
    func pullRequest(_ number: Int) -> HostRequest
    func readHead(_ body: Data) -> String?

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest
    /// Requests the newest status of each context of the commit.
    func statuses(of commit: String, page: Int) -> HostRequest
    func readStatuses(_ body: Data) -> HostPage<CommitStatus>?
    /// Whether `shown` is as close to `wanted` as the host can show.
    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool
    /// Whether a refusal only means that the status is set already.
    func isThere(_ status: CommitStatus, reason: String) -> Bool
    /// Reads the host's reason of a refusal.
    func reason(_ body: Data) -> String?
}

extension GitHost {
    static var perPage: Int { 100 }

    /// Requests the token's account; the call is the same on every host.
    var account: HostRequest { HostRequest(method: .GET, path: "/user") }

    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool {
        shown.state == wanted.state && shown.description == wanted.description
    }

    func isThere(_ status: CommitStatus, reason: String) -> Bool { false }
}

extension HostPlace {
    /// The API of this place's host.
    var host: any GitHost {
        switch kind {
        case .gitHub: GitHubHost(place: self)
        case .gitLab: GitLabHost(place: self)
        case .bitbucket: BitbucketHost(place: self)
        }
    }
}
