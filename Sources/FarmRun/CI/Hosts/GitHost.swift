// The requests and answers of a Git host's API: pure, one type for each host. `HostClient` sends,
// waits and writes again, in the same way for all of them.
import FarmCore
import Foundation
import NIOHTTP1

/// A Git host that can show the results of runs.
package enum GitHostKind: String, Hashable, Sendable, CaseIterable {
    case gitHub = "GitHub"
    case gitLab = "GitLab"
    case bitbucket = "Bitbucket"

    /// The environment variable with the host's token; without it nothing is sent to the host.
    package var tokenVariable: String { "SNAPFARM_\(rawValue.uppercased())_TOKEN" }
    /// The environment variable that names the repository if the CI does not.
    package var repositoryVariable: String { "SNAPFARM_\(rawValue.uppercased())_REPOSITORY" }

    /// The rights that the host's token needs, as text for people.
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

/// A request to a Git host's API.
struct HostRequest: Sendable {
    var method: HTTPMethod
    /// The path and query after the API's address, with a leading `/`.
    var path: String
    var body: Data?
}

/// A comment of a pull request, as the host lists it.
struct HostComment: Hashable, Sendable {
    var id: Int64
    var body: String
    /// The account that wrote the comment, or `nil` if the host does not name it.
    var author: String?
    /// Whether the host says that the comment's author is a person.
    var isByPerson = false

    /// Whether the token of `account` may have written the comment.
    ///
    /// An app cannot ask for its own account, so its `account` is `nil`; its comments are not by a
    /// person.
    func canBe(of account: String?) -> Bool { account.map { $0 == author } ?? !isByPerson }
}

/// A page of a list in a Git host's API.
struct HostPage<Item: Sendable>: Sendable {
    var items: [Item]
    var isLast: Bool
}

/// The API of one Git host: makes requests, and reads their answers.
///
/// A function that reads returns `nil` for an answer that differs from the host's documentation.
protocol GitHost: Sendable {
    var kind: GitHostKind { get }
    /// The markup of comments on this host.
    var style: CommentStyle { get }
    /// Returns the headers of every request: the token's, and others that the host needs.
    func headers(token: String) -> [(String, String)]

    /// Returns the request for a page of the pull request's comments, the oldest first; pages count
    /// from 1.
    func comments(of number: Int, page: Int) throws -> HostRequest
    func readComments(_ body: Data) -> HostPage<HostComment>?
    func makeComment(on number: Int, _ body: String) throws -> HostRequest
    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest
    func removeComment(_ id: Int64, of number: Int) -> HostRequest
    func readMade(_ body: Data) -> Int64?
    /// Reads the token's own account, in the same form as `HostComment.author`; `nil` for an
    /// unexpected answer.
    func readAccount(_ body: Data) -> String?

    /// Returns the request for the pull request, whose newest commit may come shortened.
    func pullRequest(_ number: Int) -> HostRequest
    func readHead(_ body: Data) -> String?

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest
    /// Returns the request for a page of the commit's statuses, the newest of each context.
    func statuses(of commit: String, page: Int) -> HostRequest
    func readStatuses(_ body: Data) -> HostPage<CommitStatus>?
    /// Whether the status `shown` by the host agrees with `wanted`, as far as the host can show it.
    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool
    /// Whether a refusal to set `status` only means that it is set already.
    func isThere(_ status: CommitStatus, reason: String) -> Bool
    /// Reads the host's reason from the body of a refusal, or returns `nil` if there is none.
    func reason(_ body: Data) -> String?
}

extension GitHost {
    static var perPage: Int { 100 }

    /// The request for the token's account, which is the same on every host.
    var account: HostRequest { HostRequest(method: .GET, path: "/user") }

    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool {
        shown.state == wanted.state && shown.description == wanted.description
    }

    func isThere(_ status: CommitStatus, reason: String) -> Bool { false }
}

extension HostPlace {
    /// The API of the Git host that this place is on.
    var host: any GitHost {
        switch kind {
        case .gitHub: GitHubHost(place: self)
        case .gitLab: GitLabHost(place: self)
        case .bitbucket: BitbucketHost(place: self)
        }
    }
}
