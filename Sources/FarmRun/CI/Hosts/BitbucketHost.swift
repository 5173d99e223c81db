// Bitbucket Cloud's REST API 2.0: comments of a pull request and build statuses of a commit. A
// status has a key of at most 40 characters, needs a page, and has no state `error`. Markdown takes
// no HTML. Commit hashes come shortened.
import FarmCore
import Foundation
import NIOHTTP1

struct BitbucketHost: GitHost {
    let place: HostPlace

    var kind: GitHostKind { .bitbucket }
    var style: CommentStyle { .reference }
    private var base: String { "/repositories/\(place.repository)" }

    func headers(token: String) -> [(String, String)] {
        [("Accept", "application/json"), ("Authorization", "Bearer \(token)")]
    }

    private struct Page<Value: Decodable>: Decodable {
        let values: [Value]
        /// The address of the next page, or `nil` on the last; only its presence counts, because it
        /// could point anywhere.
        let next: String?
    }

    // MARK: comments

    private struct Content: Codable {
        let raw: String
    }

    private struct Account: Decodable {
        let uuid: String
    }

    func readAccount(_ body: Data) -> String? {
        (try? JSONDecoder().decode(Account.self, from: body))?.uuid
    }

    private struct Comment: Decodable {
        let id: Int64
        let user: Account?
        let content: Content?
        let deleted: Bool?
    }

    private struct Written: Encodable {
        let content: Content
    }

    private func list(_ number: Int) -> String { "\(base)/pullrequests/\(number)/comments" }

    func comments(of number: Int, page: Int) -> HostRequest {
        let query = "sort=created_on&pagelen=\(Self.perPage)&page=\(page)"
        return HostRequest(method: .GET, path: "\(list(number))?\(query)")
    }

    func readComments(_ body: Data) -> HostPage<HostComment>? {
        guard let page = try? JSONDecoder().decode(Page<Comment>.self, from: body) else {
            return nil
        }
        return HostPage(
            items: page.values.filter { $0.deleted != true }.map {
                HostComment(id: $0.id, body: $0.content?.raw ?? "", author: $0.user?.uuid)
            },
            isLast: page.next == nil
        )
    }

    func makeComment(on number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .POST,
            path: list(number),
            body: try JSONEncoder().encode(Written(content: Content(raw: body)))
        )
    }

    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .PUT,
            path: "\(list(number))/\(id)",
            body: try JSONEncoder().encode(Written(content: Content(raw: body)))
        )
    }

    func removeComment(_ id: Int64, of number: Int) -> HostRequest {
        HostRequest(method: .DELETE, path: "\(list(number))/\(id)")
    }

    func readMade(_ body: Data) -> Int64? {
        (try? JSONDecoder().decode(Comment.self, from: body))?.id
    }

    func pullRequest(_ number: Int) -> HostRequest {
        HostRequest(method: .GET, path: "\(base)/pullrequests/\(number)")
    }

    func readHead(_ body: Data) -> String? {
        struct PullRequest: Decodable {
            struct Source: Decodable {
                struct Commit: Decodable { let hash: String }
                let commit: Commit?
            }
            let source: Source
        }
        return (try? JSONDecoder().decode(PullRequest.self, from: body))?.source.commit?.hash
    }

    // MARK: statuses

    private struct Status: Codable {
        var key: String
        var state: String
        var name: String?
        var description: String?
        var url: String?
    }

    /// Returns the status key of a context: always the same, and at most 40 characters.
    static func key(_ context: String) -> String {
        "snapfarm-" + Digest(of: Array(context.utf8)).hex.prefix(24)
    }

    private static func spelled(_ state: CommitStatus.State) -> String {
        switch state {
        case .success: "SUCCESSFUL"
        case .failure, .error: "FAILED"
        case .pending: "INPROGRESS"
        }
    }

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest {
        let page = status.page ?? "\(place.server)/\(place.repository)/commits/\(commit)"
        let words = Status(
            key: Self.key(status.context),
            state: Self.spelled(status.state),
            name: status.context,
            description: status.description,
            url: page
        )
        return HostRequest(
            method: .POST,
            path: "\(base)/commit/\(commit)/statuses/build",
            body: try JSONEncoder().encode(words)
        )
    }

    func statuses(of commit: String, page: Int) -> HostRequest {
        let query = "pagelen=\(Self.perPage)&page=\(page)"
        return HostRequest(method: .GET, path: "\(base)/commit/\(commit)/statuses?\(query)")
    }

    func readStatuses(_ body: Data) -> HostPage<CommitStatus>? {
        guard let page = try? JSONDecoder().decode(Page<Status>.self, from: body) else {
            return nil
        }
        return HostPage(
            items: page.values.map { shown in
                let state: CommitStatus.State =
                    switch shown.state {
                    case "SUCCESSFUL": .success
                    case "FAILED", "STOPPED": .failure
                    default: .pending
                    }
                return CommitStatus(
                    state: state,
                    description: shown.description ?? "",
                    context: shown.name ?? "",
                    page: shown.url
                )
            },
            isLast: page.next == nil
        )
    }

    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool {
        Self.spelled(shown.state) == Self.spelled(wanted.state)
            && shown.description == wanted.description
    }

    func reason(_ body: Data) -> String? {
        struct Refusal: Decodable {
            struct Words: Decodable { let message: String }
            let error: Words
        }
        return (try? JSONDecoder().decode(Refusal.self, from: body))?.error.message
    }
}
