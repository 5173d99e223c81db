// The tokens of a coordinator: one file in its data folder, readable by its owner only, with
// hashes and no token. `snapfarm tokens` changes it while the coordinator runs.
//
// Invariants
//   - The file is replaced in one step under a lock: it is always whole.
//   - A change counts from the next call on. If the file cannot be read, all calls are refused.
import FarmCore
import FarmFiles
import Foundation
import Synchronization

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The tokens that several coordinators share.
///
/// Each coordinator's own file is a copy of their bytes.
package protocol SharedTokens: Sendable {
    /// Returns the shared bytes, or `nil` if the tokens were never changed.
    func tokens() throws -> Data?
    /// Replaces the shared bytes; returns `false` if they are not `old` any more.
    func putTokens(_ bytes: Data, replacing old: Data?) throws -> Bool
}

/// The file with the tokens of a coordinator.
package final class TokenFile: CallAccess {
    /// The beginning of every token, so that logs can mask tokens and scanners find them.
    package static let prefix = "snapfarm_"

    private struct Contents: Codable {
        var version = 1
        var tokens: [TokenRecord]
        /// The newest tokens made and revoked, oldest first; `nil` if a program before kept none.
        var changes: [AuditEntry]?
    }

    /// The identity of one version of the file.
    private struct Stamp: Equatable {
        var inode: UInt64
        var size: Int64
        var seconds: Int
        var nanoseconds: Int
    }

    private let path: String
    /// Returns the time in milliseconds since 1970.
    package let clock: @Sendable () -> Int64
    /// The tokens that other coordinators share, or `nil` if none shares them.
    private let shared: (any SharedTokens)?
    /// The name of the user who makes and revokes tokens, for the audit log.
    private let user: String
    private let known = Mutex<(stamp: Stamp?, records: [TokenRecord])>((nil, []))

    /// Makes an access that reads the file at `path`; `clock` returns milliseconds since 1970.
    package init(
        path: String,
        shared: (any SharedTokens)? = nil,
        user: String = "",
        clock: @escaping @Sendable () -> Int64
    ) {
        self.path = path
        self.shared = shared
        self.user = user
        self.clock = clock
    }

    // MARK: calls

    package func grant(_ header: String?, needing scopes: Set<AccessScope>) throws -> AccessGrant {
        try AccessRules.grant(header, among: current(), needing: scopes, now: clock())
    }

    /// Returns the record of a token that a person typed.
    ///
    /// - Throws: `AccessRefusal` for a token that is unknown or expired.
    package func record(of token: String) throws -> TokenRecord {
        try AccessRules.record(of: token, among: current(), now: clock())
    }

    /// Returns the record of a session's token, or `nil` if the session has ended.
    package func record(of session: PageSession) throws -> TokenRecord? {
        try session.record(among: current(), now: clock())
    }

    private func current() throws -> [TokenRecord] {
        let stamp = stamp()
        return try known.withLock { known in
            if known.stamp != stamp || stamp == nil {
                known = (stamp, try records())
            }
            return known.records
        }
    }

    private func stamp() -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        #if canImport(Darwin)
        let time = status.st_mtimespec
        #else
        let time = status.st_mtim
        #endif
        return Stamp(
            inode: UInt64(status.st_ino),
            size: Int64(status.st_size),
            seconds: time.tv_sec,
            nanoseconds: time.tv_nsec
        )
    }

    // MARK: administration

    /// Returns the records of all tokens, in the order they were made; none if there is no file.
    package func records() throws -> [TokenRecord] { try contents().tokens }

    /// Returns the newest tokens made and revoked as entries of the audit log, oldest first; at most
    /// `FarmLimits.tokenChangesMax`.
    package func changes() throws -> [AuditEntry] { try contents().changes ?? [] }

    private func contents() throws -> Contents {
        guard FileManager.default.fileExists(atPath: path) else { return Contents(tokens: []) }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw TokenFileError.unreadable(path, String(cString: strerror(errno)))
        }
        return try contents(of: bytes, else: .unreadable(path, "it is not a file of tokens"))
    }

    private func contents(of bytes: Data, else error: TokenFileError) throws -> Contents {
        guard bytes.count <= FarmLimits.tokenFileBytesMax,
            let contents = try? JSONDecoder().decode(Contents.self, from: bytes),
            contents.version == 1
        else { throw error }
        return contents
    }

    /// Makes a token with a name, and returns it; it cannot be shown again.
    ///
    /// `expires` is in milliseconds since 1970; `person` is the name in decisions. The token reaches
    /// the pipelines whose names match one of the patterns `pipelines`, with `nil` all.
    package func create(
        name: String,
        scopes: Set<AccessScope>,
        expires: Int64?,
        person: String? = nil,
        invitation: Invitation? = nil,
        pipelines: [String]? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws -> String {
        guard AccessRules.isName(name) else { throw TokenFileError.badName(name) }
        guard person.map(AccessRules.isPerson) ?? true else { throw TokenFileError.badPerson }
        guard pipelines.map(AccessRules.arePatterns) ?? true else {
            throw TokenFileError.badPatterns
        }
        let token = Self.prefix + AccessToken.random(using: &generator)
        let record = TokenRecord(
            name: name,
            scopes: AccessScope.allCases.filter { scopes.contains($0) },
            sha256: Digest(of: Data(token.utf8)),
            created: clock(),
            expires: expires,
            person: person,
            invitation: invitation,
            pipelines: PipelineReach(patterns: pipelines).patterns
        )
        let now = clock()
        try change(.tokenMade, name) { records in
            // An expired link can no longer be used.
            records.removeAll { $0.invitation.map { $0.expires <= now } ?? false }
            guard !records.contains(where: { $0.name == name }) else {
                throw TokenFileError.nameTaken(name)
            }
            guard records.count < FarmLimits.tokensMax else { throw TokenFileError.tooMany }
            records.append(record)
        }
        return token
    }

    /// Removes the token with a name: its next call is refused.
    package func revoke(name: String) throws {
        try change(.tokenRevoked, name) { records in
            guard let place = records.firstIndex(where: { $0.name == name }) else {
                let near = nearest(name, among: records.map(\.name))
                throw TokenFileError.unknownName(name, near: near)
            }
            records.remove(at: place)
        }
    }

    // MARK: pages

    /// Makes a token for a person, and returns the code of the link that logs in with it once.
    ///
    /// The token itself is never shown. The link is valid for `hours`.
    package func invite(
        _ person: String,
        scopes: Set<AccessScope>,
        hours: Int,
        pipelines: [String]? = nil,
        using generator: inout some RandomNumberGenerator
    ) throws -> (name: String, code: String) {
        let code = SessionSealer.randomCode(using: &generator)
        let name = "invited-\(SessionSealer.randomCode(using: &generator).prefix(8))"
        let linkEnds = clock() + Int64(hours) * 3_600_000
        _ = try create(
            name: name,
            scopes: scopes,
            expires: linkEnds + FarmLimits.sessionMilliseconds,
            person: person,
            invitation: Invitation(sha256: Digest(of: Data(code.utf8)), expires: linkEnds),
            pipelines: pipelines,
            using: &generator
        )
        return (name, code)
    }

    /// Returns the record of the token behind a link's code, or `nil` if the link was used, has
    /// expired, or never existed.
    package func invited(by code: String) throws -> TokenRecord? {
        Self.record(invitedBy: code, among: try current(), now: clock())
    }

    /// Uses a one-time link up and returns the record of its token, or `nil` if the link is not
    /// valid.
    package func accept(_ code: String) throws -> TokenRecord? {
        // A guessed code must not cause a write of the file.
        guard try invited(by: code) != nil else { return nil }
        let now = clock()
        var accepted: TokenRecord?
        try change { records in
            guard let found = Self.record(invitedBy: code, among: records, now: now),
                let place = records.firstIndex(where: { $0.name == found.name })
            else { return }
            records[place].invitation = nil
            accepted = records[place]
        }
        return accepted
    }

    private static func record(
        invitedBy code: String,
        among records: [TokenRecord],
        now: Int64
    ) -> TokenRecord? {
        let given = Digest(of: Data(code.utf8))
        var found: TokenRecord?
        for record in records {
            guard let invitation = record.invitation, invitation.expires > now else { continue }
            if invitation.sha256.isEqualInConstantTime(to: given) { found = record }
        }
        return found
    }

    /// Ends a login's session before it expires.
    package func logOut(_ session: PageSession) throws {
        let now = clock()
        try change { records in
            guard let place = records.firstIndex(where: { $0.name == session.token }) else {
                return
            }
            var loggedOut = records[place].loggedOut ?? LoggedOut()
            loggedOut.add(session, now: now)
            records[place].loggedOut = loggedOut
        }
    }

    /// Changes the tokens; the audit log names the token `name` if the change has an `action`.
    private func change(
        _ action: AuditAction? = nil,
        _ name: String = "",
        _ body: (inout [TokenRecord]) throws -> Void
    ) throws {
        let lock = open(path + ".lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard lock >= 0 else {
            throw TokenFileError.unwritable(path, String(cString: strerror(errno)))
        }
        defer { _ = close(lock) }
        guard flock(lock, LOCK_EX) == 0 else {
            throw TokenFileError.unwritable(path, String(cString: strerror(errno)))
        }
        // Another coordinator may change the tokens at the same moment.
        for _ in 0..<Self.sharedTriesMax {
            let old = try shared?.tokens()
            var contents =
                try old.map { try self.contents(of: $0, else: .sharedUnreadable) }
                ?? self.contents()
            try body(&contents.tokens)
            if let action {
                let entry = AuditEntry(
                    at: clock(),
                    who: user,
                    address: "",
                    action: action,
                    subject: name
                )
                let changes = (contents.changes ?? []) + [entry]
                contents.changes = changes.suffix(FarmLimits.tokenChangesMax)
            }
            let bytes = try Self.encoded(contents)
            guard try shared?.putTokens(bytes, replacing: old) ?? true else { continue }
            return try write(bytes)
        }
        throw TokenFileError.unwritable(path, "other coordinators change them all the time")
    }

    private static let sharedTriesMax = 20

    private static func encoded(_ contents: Contents) throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return try encoder.encode(contents)
    }

    /// Replaces the file by `bytes`, the tokens that all coordinators share.
    package func follow(_ bytes: Data) throws {
        guard FileManager.default.contents(atPath: path) != bytes else { return }
        _ = try contents(of: bytes, else: .sharedUnreadable)
        try write(bytes)
    }

    private func write(_ bytes: Data) throws {
        do {
            try DurableFile.write(bytes, to: path, readers: .owner)
        } catch {
            throw TokenFileError.unwritable(path, error.reason)
        }
    }
}
