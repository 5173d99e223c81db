// What a Git host's API is asked and what its answers mean: pure, one type for each host. Who sends,
// waits and writes again is HostClient, in the same way for all of them.
import FarmCore
import Foundation
import NIOHTTP1

/// The hosts that a run can be shown on.
package enum GitHostKind: String, Hashable, Sendable, CaseIterable {
    case gitHub = "GitHub"
    case gitLab = "GitLab"
    case bitbucket = "Bitbucket"

    /// The variable with the token; without it nothing is sent.
    package var tokenVariable: String { "SNAPFARM_\(rawValue.uppercased())_TOKEN" }
    /// The variable that names the repository where the CI does not.
    package var repositoryVariable: String { "SNAPFARM_\(rawValue.uppercased())_REPOSITORY" }

    /// What a token needs.
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
    /// Behind the API's address, with its `/` and query.
    var path: String
    var body: Data?
}

/// A comment as a host lists it.
struct HostComment: Hashable, Sendable {
    var id: Int64
    var body: String
    /// The account that wrote it; nil where the host does not say it.
    var author: String?
    /// Whether the host calls that account one of a person.
    var isByPerson = false

    /// Whether the token of `account` may have written it.
    ///
    /// An app of a host cannot ask for its account: nil. Its comments are by no person.
    func canBe(of account: String?) -> Bool { account.map { $0 == author } ?? !isByPerson }
}

/// One page of a list.
struct HostPage<Item: Sendable>: Sendable {
    var items: [Item]
    var isLast: Bool
}

/// The words of one host for what a run tells it.
///
/// Readers return nil for an answer that is not what the host documents.
protocol GitHost: Sendable {
    var kind: GitHostKind { get }
    /// How the comment is written down.
    var style: CommentStyle { get }
    /// The header that carries the token, and whatever else the host asks for.
    func headers(token: String) -> [(String, String)]

    /// Comments of the pull request, the oldest first; pages count from 1.
    func comments(of number: Int, page: Int) throws -> HostRequest
    func readComments(_ body: Data) -> HostPage<HostComment>?
    func makeComment(on number: Int, _ body: String) throws -> HostRequest
    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest
    func removeComment(_ id: Int64, of number: Int) -> HostRequest
    func readMade(_ body: Data) -> Int64?
    /// The token's own account, spelled as `HostComment.author`.
    func readAccount(_ body: Data) -> String?

    /// The pull request, whose newest commit may come shortened.
    func pullRequest(_ number: Int) -> HostRequest
    func readHead(_ body: Data) -> String?

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest
    /// The newest status of each context of the commit.
    func statuses(of commit: String, page: Int) -> HostRequest
    func readStatuses(_ body: Data) -> HostPage<CommitStatus>?
    /// Whether the host can say no more than it does, where `wanted` is to be shown.
    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool
    /// Whether a refusal only means that the status is there already.
    func isThere(_ status: CommitStatus, reason: String) -> Bool
    /// The host's own word for a refusal.
    func reason(_ body: Data) -> String?
}

extension GitHost {
    static var perPage: Int { 100 }

    /// Whose token it is: the same call on every host.
    var account: HostRequest { HostRequest(method: .GET, path: "/user") }

    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool {
        shown.state == wanted.state && shown.description == wanted.description
    }

    func isThere(_ status: CommitStatus, reason: String) -> Bool { false }
}

extension HostPlace {
    /// Who speaks the words of this place.
    var host: any GitHost {
        switch kind {
        case .gitHub: GitHubHost(place: self)
        case .gitLab: GitLabHost(place: self)
        case .bitbucket: BitbucketHost(place: self)
        }
    }
}
