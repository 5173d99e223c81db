// GitLab's REST API, version 4: notes of a merge request and statuses of a commit. A status is a
// job of an external stage. It has no state `error`, and GitLab refuses to set a state again.
import FarmCore
import Foundation
import NIOHTTP1

struct GitLabHost: GitHost {
    let place: HostPlace

    var kind: GitHostKind { .gitLab }
    var style: CommentStyle { .html }
    /// The API's path of the project; the slashes in its name are encoded, because the name is one
    /// component.
    private var base: String { "/projects/\(place.repository.replacing("/", with: "%2F"))" }

    func headers(token: String) -> [(String, String)] { [("PRIVATE-TOKEN", token)] }

    // MARK: comments

    private struct Account: Decodable {
        let id: Int64
    }

    func readAccount(_ body: Data) -> String? {
        (try? JSONDecoder().decode(Account.self, from: body)).map { "\($0.id)" }
    }

    private struct Note: Decodable {
        let id: Int64
        let body: String?
        let author: Account?
        /// Whether GitLab wrote the note itself, such as "added 1 commit".
        let system: Bool?
    }

    private func notes(_ number: Int) -> String { "\(base)/merge_requests/\(number)/notes" }

    func comments(of number: Int, page: Int) -> HostRequest {
        let order = "sort=asc&order_by=created_at"
        let query = "\(order)&per_page=\(Self.perPage)&page=\(page)"
        return HostRequest(method: .GET, path: "\(notes(number))?\(query)")
    }

    func readComments(_ body: Data) -> HostPage<HostComment>? {
        guard let listed = try? JSONDecoder().decode([Note].self, from: body) else { return nil }
        return HostPage(
            items: listed.filter { $0.system != true }.map { note in
                HostComment(
                    id: note.id,
                    body: note.body ?? "",
                    author: note.author.map { "\($0.id)" }
                )
            },
            isLast: listed.count < Self.perPage
        )
    }

    func makeComment(on number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .POST,
            path: notes(number),
            body: try JSONEncoder().encode(["body": body])
        )
    }

    func changeComment(_ id: Int64, of number: Int, _ body: String) throws -> HostRequest {
        HostRequest(
            method: .PUT,
            path: "\(notes(number))/\(id)",
            body: try JSONEncoder().encode(["body": body])
        )
    }

    func removeComment(_ id: Int64, of number: Int) -> HostRequest {
        HostRequest(method: .DELETE, path: "\(notes(number))/\(id)")
    }

    func readMade(_ body: Data) -> Int64? {
        (try? JSONDecoder().decode(Note.self, from: body))?.id
    }

    func pullRequest(_ number: Int) -> HostRequest {
        HostRequest(method: .GET, path: "\(base)/merge_requests/\(number)")
    }

    func readHead(_ body: Data) -> String? {
        struct MergeRequest: Decodable { let sha: String }
        return (try? JSONDecoder().decode(MergeRequest.self, from: body))?.sha
    }

    // MARK: statuses

    private struct Wanted: Encodable {
        var state: String
        var name: String
        var description: String
        var page: String?
        /// The id of the pipeline that gets the status; if `nil`, the commit's newest pipeline gets
        /// it.
        var pipeline: Int64?

        private enum CodingKeys: String, CodingKey {
            case state, name, description
            case page = "target_url"
            case pipeline = "pipeline_id"
        }
    }

    private struct Shown: Decodable {
        let status: String
        let name: String
        let description: String?
        let page: String?

        private enum CodingKeys: String, CodingKey {
            case status, name, description
            case page = "target_url"
        }
    }

    private static func spelled(_ state: CommitStatus.State) -> String {
        switch state {
        case .success: "success"
        case .failure, .error: "failed"
        case .pending: "pending"
        }
    }

    func setStatus(_ status: CommitStatus, of commit: String) throws -> HostRequest {
        let words = Wanted(
            state: Self.spelled(status.state),
            name: status.context,
            description: status.description,
            page: status.page,
            pipeline: place.pipeline
        )
        return HostRequest(
            method: .POST,
            path: "\(base)/statuses/\(commit)",
            body: try JSONEncoder().encode(words)
        )
    }

    func statuses(of commit: String, page: Int) -> HostRequest {
        let query = "per_page=\(Self.perPage)&page=\(page)"
        return HostRequest(
            method: .GET,
            path: "\(base)/repository/commits/\(commit)/statuses?\(query)"
        )
    }

    func readStatuses(_ body: Data) -> HostPage<CommitStatus>? {
        guard let listed = try? JSONDecoder().decode([Shown].self, from: body) else { return nil }
        return HostPage(
            items: listed.map { shown in
                let state: CommitStatus.State =
                    switch shown.status {
                    case "success": .success
                    case "failed", "canceled": .failure
                    default: .pending
                    }
                return CommitStatus(
                    state: state,
                    description: shown.description ?? "",
                    context: shown.name,
                    page: shown.page
                )
            },
            isLast: listed.count < Self.perPage
        )
    }

    func says(_ shown: CommitStatus, for wanted: CommitStatus) -> Bool {
        guard Self.spelled(shown.state) == Self.spelled(wanted.state) else { return false }
        // GitLab keeps the first description of a pending status.
        return wanted.state == .pending || shown.description == wanted.description
    }

    func isThere(_ status: CommitStatus, reason: String) -> Bool {
        status.state == .pending && reason.contains("Cannot transition status")
    }

    /// Reads the reason of a refusal: `message` or `error`, each a text or an object of lists;
    /// `nil` if there is none.
    func reason(_ body: Data) -> String? {
        guard case .object(let fields)? = try? JSONDecoder().decode(JSONValue.self, from: body)
        else { return nil }
        let words = (fields["message"] ?? fields["error"])?.texts ?? []
        return words.isEmpty ? nil : words.joined(separator: " ")
    }
}
