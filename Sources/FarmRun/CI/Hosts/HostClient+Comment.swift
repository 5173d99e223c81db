// One comment that many jobs write. No host has a conditional write: who reads, puts its section in
// and writes may undo another who did the same meanwhile. So every writer waits until such another
// must have written, reads back, and writes again where its section is not as it left it. Two who
// both found no comment make two; the older one stays, and each maker removes its own younger one.
import FarmCore
import Foundation
import NIOHTTP1

extension HostClient {
    /// Puts the section into the comment; nothing without a pull request.
    ///
    /// The first section of a commit drops those of the commit before. A job of an old commit
    /// leaves the comment of the pull request's newest one alone.
    package func put(_ section: PullRequestSection) async throws {
        guard let number = place.pullRequest else { return }
        var tries = CommentTries()
        let account = try await account()
        for round in 1...Self.roundsMax {
            let old = try await find(number, of: account, except: tries.foreign)
            guard var comment = try await comment(after: old, number) else { return }
            guard comment.put(section) else { throw HostError.full(host.kind) }
            if let old, old.body == comment.body {
                for id in tries.made where id != old.id { try await remove(id, number) }
                return
            }
            try await write(comment, over: old, number, round: round, &tries)
        }
        throw HostError.contended(host.kind, tries: Self.roundsMax)
    }

    /// What this job learned of comments with our marker.
    private struct CommentTries {
        /// Those that this job made.
        var made: Set<Int64> = []
        /// Those that this token cannot write.
        var foreign: Set<Int64> = []
    }

    /// The comment that the section goes into; nil where another commit's stays.
    private func comment(after old: HostComment?, _ number: Int) async throws -> PullRequestComment?
    {
        let fresh = PullRequestComment(commit: place.commit, style: host.style)
        guard let old, let known = PullRequestComment(parsing: old.body, style: host.style)
        else { return fresh }
        guard known.commit != place.commit else { return known }
        return known.commit.hasPrefix(try await head(number)) ? nil : fresh
    }

    /// Writes once, and waits as long as another's write of the same moment may take.
    private func write(
        _ comment: PullRequestComment,
        over old: HostComment?,
        _ number: Int,
        round: Int,
        _ tries: inout CommentTries
    ) async throws {
        let call = "the comment"
        let request =
            if let old {
                try host.changeComment(old.id, of: number, comment.body)
            } else {
                try host.makeComment(on: number, comment.body)
            }
        // Never sent again as it is: what waited may undo what came meanwhile.
        let answer = try await exchange(request, as: call)
        if (200...299).contains(answer.status) {
            if old == nil {
                guard let made = host.readMade(Data(answer.body)) else {
                    throw HostError.unreadable(host.kind, call: call)
                }
                tries.made.insert(made)
            }
            return try await pause(Self.settleSeconds(comment.body, round: round))
        }
        if let wait = HostRules.retry(answer, attempt: round, now: now()) {
            return try await pause(wait)
        }
        let error = HostError(host.kind, answer, call: call, reason: reason(answer))
        guard case .refused(_, _, let status, _) = error, [403, 404].contains(status), let old
        else {
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

    private func find(
        _ number: Int,
        of account: String?,
        except: Set<Int64>
    ) async throws -> HostComment? {
        func isOurs(_ comment: HostComment) -> Bool {
            !except.contains(comment.id) && comment.body.hasPrefix(host.style.opening)
                && comment.canBe(of: account)
        }
        return try await all(as: "the list of comments") {
            try host.comments(of: number, page: $0)
        } read: {
            host.readComments($0)
        } ends: {
            isOurs($0)
        }.first(where: isOurs)
    }

    /// The account of the token; nil for a token that the host gives no account to ask for.
    private func account() async throws -> String? {
        do {
            let bytes = try await send(host.account, as: "the token's account")
            return host.readAccount(Data(bytes))
        } catch HostError.refused(_, _, let status, _) where [401, 403, 404].contains(status) {
            // The next call fails with the reason if the token itself is wrong.
            return nil
        }
    }

    /// The newest commit of the pull request, at least its beginning.
    private func head(_ number: Int) async throws -> String {
        let call = "the pull request"
        let bytes = try await send(host.pullRequest(number), as: call)
        guard let head = host.readHead(Data(bytes)), head.count >= 7 else {
            throw HostError.unreadable(host.kind, call: call)
        }
        return head.lowercased()
    }

    private func remove(_ id: Int64, _ number: Int) async throws {
        do {
            try await send(host.removeComment(id, of: number), as: "the second comment")
        } catch HostError.refused(_, _, let status, _) where status == 404 {
            // Gone already.
        }
    }
}
