// GitHub's REST API of 2022-11-28: issue comments and commit statuses.
import Foundation
import NIOHTTP1

struct GitHubHost: GitHost {
    let place: HostPlace

    var kind: GitHostKind { .gitHub }
    var style: CommentStyle { .html }
    private var base: String { "/repos/\(place.repository)" }

    func headers(token: String) -> [(String, String)] {
        [
            ("Accept", "application/vnd.github+json"), ("Authorization", "Bearer \(token)"),
            ("X-GitHub-Api-Version", "2022-11-28"),
        ]
    }

    // MARK: comments

    private struct Account: Decodable {
        let id: Int64
        /// The kind of account: `User`, `Bot` or `Organization`; `nil` if GitHub does not name it.
        let type: String?
    }

    private struct Comment: Decodable {
        let id: Int64
        let body: String?
        let user: Account?
    }

    func readAccount(_ body: Data) -> String? {
        (try? JSONDecoder().decode(Account.self, from: body)).map { "\($0.id)" }
    }

    func comments(of number: Int, page: Int) -> HostRequest {
        let query = "per_page=\(Self.perPage)&page=\(page)"
        return HostRequest(method: .GET, path: "\(base)/issues/\(number)/comments?\(query)")
    }

    func readComments(_ body: Data) -> HostPage<HostComment>? {
        guard let listed = try? JSONDecoder().decode([Comment].self, from: body) else { return nil }
        return HostPage(
            items: listed.map { comment in
                HostComment(
                    id: comment.id,
                    body: comment.body ?? "",
                    author: comment.user.map { "\($0.id)" },
                    isByPerson: comment.user?.type == "User"
                )
            },
            isLast: listed.count < Self.perPage
        )
    }

    func makeComment(on number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .POST,
            path: "\(base)/issues/\(number)/comments",
            body: try JSONEncoder().encode(["body": body])
        )
    }

    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .PATCH,
            path: "\(base)/issues/comments/\(id)",
            body: try JSONEncoder().encode(["body": body])
        )
    }

    func removeComment(_ id: Int64, of number: Int) -> HostRequest {
        HostRequest(method: .DELETE, path: "\(base)/issues/comments/\(id)")
    }

    func readMade(_ body: Data) -> Int64? {
        (try? JSONDecoder().decode(Comment.self, from: body))?.id
    }

    func pullRequest(_ number: Int) -> HostRequest {
        HostRequest(method: .GET, path: "\(base)/pulls/\(number)")
    }

    func readHead(_ body: Data) -> String? {
        struct PullRequest: Decodable {
            struct Head: Decodable { let sha: String }
            let head: Head
        }
        return (try? JSONDecoder().decode(PullRequest.self, from: body))?.head.sha
    }

    // MARK: statuses

    private struct Status: Codable {
        var state: CommitStatus.State
        var description: String?
        var context: String
        var page: String?

        private enum CodingKeys: String, CodingKey {
            case state, description, context
            case page = "target_url"
        }
    }

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest {
        let words = Status(
            state: status.state,
            description: status.description,
            context: status.context,
            page: status.page
        )
        return HostRequest(
            method: .POST,
            path: "\(base)/statuses/\(commit)",
            body: try JSONEncoder().encode(words)
        )
    }

    func statuses(of commit: String, page: Int) -> HostRequest {
        let query = "per_page=\(Self.perPage)&page=\(page)"
        return HostRequest(method: .GET, path: "\(base)/commits/\(commit)/status?\(query)")
    }

    func readStatuses(_ body: Data) -> HostPage<CommitStatus>? {
        struct Combined: Decodable { let statuses: [Status] }
        guard let found = try? JSONDecoder().decode(Combined.self, from: body) else { return nil }
        return HostPage(
            items: found.statuses.map {
                CommitStatus(
                    state: $0.state,
                    description: $0.description ?? "",
                    context: $0.context,
                    page: $0.page
                )
            },
            isLast: found.statuses.count < Self.perPage
        )
    }

    func reason(_ body: Data) -> String? {
        struct Refusal: Decodable { let message: String }
        return (try? JSONDecoder().decode(Refusal.self, from: body))?.message
    }
}
