// One comment that many jobs write. No host has a conditional write: a job that reads the comment,
// inserts its section and writes may undo another job's write. So every job waits until such a
// write must have ended, reads the comment again, and writes again if its section has changed. If
// two jobs both find no comment, they make two: the older one stays, and each job removes its own
// younger one.
import FarmCore
import Foundation
import NIOHTTP1

extension HostClient {
    /// Puts the section into the pull request's comment; does nothing without a pull request.
    ///
    /// The first section of a commit drops those of earlier commits. A job of an old commit does
    /// not change the comment of the pull request's newest commit.
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

    /// The ids of snapfarm's comments that this job made or cannot write.
    private struct CommentTries {
        /// The ids of the comments that this job made.
        var made: Set<Int64> = []
        /// The ids of the comments that this token cannot write.
        var foreign: Set<Int64> = []
    }

    /// Returns the comment to put the section into, or `nil` if the old one belongs to the newest
    /// commit of the pull request and this job to another.
    private func comment(after old: HostComment?, _ number: Int) async throws -> PullRequestComment?
    {
        let fresh = PullRequestComment(commit: place.commit, style: host.style)
        guard let old, let known = PullRequestComment(parsing: old.body, style: host.style)
        else { return fresh }
        guard known.commit != place.commit else { return known }
        return known.commit.hasPrefix(try await head(number)) ? nil : fresh
    }

    /// Writes the comment once, then waits as long as a simultaneous write of another job may take.
    ///
    /// Notes in `tries` a comment that it made or may not write.
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
        // The same text is never sent again: after a wait it could undo another job's write.
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
        // The comment is another account's, or gone; this job makes its own.
        tries.foreign.insert(old.id)
    }

    /// Returns the seconds to wait after a write: longer than a call usually takes, and different
    /// for two jobs that write at the same time, so that they do not collide again.
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

    /// Returns the token's account, or `nil` for a token that has no account to ask for.
    private func account() async throws -> String? {
        do {
            let bytes = try await send(host.account, as: "the token's account")
            return host.readAccount(Data(bytes))
        } catch HostError.refused(_, _, let status, _) where [401, 403, 404].contains(status) {
            // If the token itself is wrong, the next call fails with the reason.
            return nil
        }
    }

    /// Returns the hash of the pull request's newest commit, at least its first 7 digits.
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
            // The comment is gone already.
        }
    }
}
