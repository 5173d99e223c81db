// One comment that many jobs write. GitHub has no conditional write: who reads, puts its section in
// and writes may undo another who did the same meanwhile. So every writer waits until such another
// must have written, reads back, and writes again where its section is not as it left it. Two who
// both found no comment make two; the older one stays, and each maker removes its own younger one.
import FarmCore
import Foundation
import NIOHTTP1

extension GitHubClient {
    /// Puts the section into the comment; nothing without a pull request.
    ///
    /// The first section of a commit drops those of the commit before. A job of an old commit
    /// leaves the comment of the pull request's newest one alone.
    package func put(_ section: GitHubSection) async throws {
        guard let number = place.pullRequest else { return }
        var tries = CommentTries()
        for round in 1...Self.roundsMax {
            let old = try await find(number, except: tries.foreign)
            guard var comment = try await comment(after: old, number) else { return }
            guard comment.put(section) else { throw GitHubError.full }
            if let old, old.body == comment.body {
                for id in tries.made where id != old.id { try await remove(id) }
                return
            }
            try await write(comment, over: old, number, round: round, &tries)
        }
        throw GitHubError.contended(tries: Self.roundsMax)
    }

    private struct Comment: Decodable {
        let id: Int64
        var body: String
    }

    /// What this job learned of comments with our marker.
    private struct CommentTries {
        /// Those that this job made.
        var made: Set<Int64> = []
        /// Somebody else's, which this token cannot write.
        var foreign: Set<Int64> = []
    }

    /// The comment that the section goes into; nil where another commit's stays.
    private func comment(after old: Comment?, _ number: Int) async throws -> GitHubComment? {
        let fresh = GitHubComment(commit: place.commit)
        guard let old, let known = GitHubComment(parsing: old.body) else { return fresh }
        guard known.commit != place.commit else { return known }
        return try await head(number) == known.commit ? nil : fresh
    }

    /// Writes once, and waits as long as another's write of the same moment may take.
    private func write(
        _ comment: GitHubComment,
        over old: Comment?,
        _ number: Int,
        round: Int,
        _ tries: inout CommentTries
    ) async throws {
        let call = "the comment"
        let body = try JSONEncoder().encode(["body": comment.body])
        // Never sent again as it is: what waited may undo what came meanwhile.
        let answer =
            if let old {
                try await exchange(.PATCH, "issues/comments/\(old.id)", body, as: call)
            } else {
                try await exchange(.POST, "issues/\(number)/comments", body, as: call)
            }
        if (200...299).contains(answer.status) {
            if old == nil {
                struct Made: Decodable { let id: Int64 }
                let made = try? JSONDecoder().decode(Made.self, from: Data(answer.body))
                guard let made else { throw GitHubError.unreadable(call: call) }
                tries.made.insert(made.id)
            }
            return try await pause(Self.settleSeconds(comment.body, round: round))
        }
        if let wait = GitHubRules.retry(answer, attempt: round, now: now()) {
            return try await pause(wait)
        }
        let error = GitHubError(answer, call: call, reason: Self.reason(answer))
        guard case .refused(_, let status, _) = error, [403, 404].contains(status), let old else {
            throw error
        }
        // Somebody else's, or gone: ours is another.
        tries.foreign.insert(old.id)
    }

    /// Longer than a call usually takes, and unlike for two who write at once, so that they do not
    /// meet again.
    private static func settleSeconds(_ body: String, round: Int) -> Double {
        let digest = Digest(of: Array("\(round)\(body)".utf8)).hex.prefix(4)
        let spread = Double(UInt16(digest, radix: 16) ?? 0) / Double(UInt16.max)
        return 1.5 + spread * Double(round)
    }

    private func find(_ number: Int, except: Set<Int64>) async throws -> Comment? {
        struct Listed: Decodable {
            let id: Int64
            let body: String?
        }
        let call = "the list of comments"
        for page in 1...Self.pagesMax {
            let path = "issues/\(number)/comments?per_page=\(Self.perPage)&page=\(page)"
            let bytes = try await send(.GET, path, nil, as: call)
            guard let listed = try? JSONDecoder().decode([Listed].self, from: Data(bytes)) else {
                throw GitHubError.unreadable(call: call)
            }
            for comment in listed where !except.contains(comment.id) {
                if let body = comment.body, body.hasPrefix(GitHubComment.opening) {
                    return Comment(id: comment.id, body: body)
                }
            }
            if listed.count < Self.perPage { return nil }
        }
        return nil
    }

    /// The newest commit of the pull request.
    private func head(_ number: Int) async throws -> String {
        struct PullRequest: Decodable {
            struct Head: Decodable { let sha: String }
            let head: Head
        }
        let call = "the pull request"
        let bytes = try await send(.GET, "pulls/\(number)", nil, as: call)
        guard let found = try? JSONDecoder().decode(PullRequest.self, from: Data(bytes)) else {
            throw GitHubError.unreadable(call: call)
        }
        return found.head.sha.lowercased()
    }

    private func remove(_ id: Int64) async throws {
        do {
            try await send(.DELETE, "issues/comments/\(id)", nil, as: "the second comment")
        } catch GitHubError.refused(_, let status, _) where status == 404 {
            // Gone already.
        }
    }
}
