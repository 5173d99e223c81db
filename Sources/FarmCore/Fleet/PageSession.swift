// The sessions of people on a coordinator's pages. A session is a sealed value in the browser's
// cookie, so it survives a restart; the coordinator only stores which sessions were logged out.
// Pure: the caller passes time, keys and randomness.
//
// Invariants
//   - A session ends with its token: if that is revoked, expires, or is made anew under its name.
//   - A value from a browser is only read after its seal was checked.
import Crypto
import Foundation

/// A person's login on the pages in one browser.
package struct PageSession: Hashable, Sendable {
    /// The random id of the session: 32 hex digits.
    package var id: String
    /// The name of the token that the session began with.
    package var token: String
    /// The beginning of the token's SHA-256, which distinguishes a later token of the same name.
    package var hash: String
    /// The session's beginning, in milliseconds since 1970.
    package var began: Int64
    package var ends: Int64

    private static let hashDigits = 16

    /// Makes a session that begins at `now`.
    package init(
        of record: TokenRecord,
        now: Int64,
        using generator: inout some RandomNumberGenerator
    ) {
        id = SessionSealer.randomCode(using: &generator)
        token = record.name
        hash = String(record.sha256.hex.prefix(Self.hashDigits))
        began = now
        ends = min(now + FarmLimits.sessionMilliseconds, record.expires ?? .max)
    }

    /// Returns the record of the session's token, or `nil` if the session has ended.
    package func record(among records: [TokenRecord], now: Int64) -> TokenRecord? {
        guard now < ends, let record = records.first(where: { $0.name == token }),
            record.sha256.hex.hasPrefix(hash), hash.utf8.count == Self.hashDigits,
            !record.isExpired(now: now), !(record.loggedOut?.has(self) ?? false)
        else { return nil }
        return record
    }

    fileprivate init?(parsing text: Substring) {
        let parts = text.split(separator: "~", omittingEmptySubsequences: false).map { String($0) }
        guard parts.count == 5, let began = Int64(parts[3]), let ends = Int64(parts[4]) else {
            return nil
        }
        id = parts[0]
        token = parts[1]
        hash = parts[2]
        self.began = began
        self.ends = ends
    }

    /// The session as text without a seal: its parts, which contain no `~`, joined by `~`.
    fileprivate var text: String {
        [id, token, hash, "\(began)", "\(ends)"].joined(separator: "~")
    }
}

/// The sessions of a token that were logged out before their end.
package struct LoggedOut: Hashable, Sendable, Codable {
    /// The time when each logged-out session would have ended, by the session's id.
    private var ended: [String: Int64] = [:]
    /// The time before which no session counts, in milliseconds since 1970: all that began earlier
    /// have ended; `nil` for no such time.
    private var before: Int64?

    package init() {}

    package func has(_ session: PageSession) -> Bool {
        ended[session.id] != nil || session.began < before ?? .min
    }

    /// Records that a session is logged out; if too many are remembered, ends all sessions that
    /// began before `now`.
    package mutating func add(_ session: PageSession, now: Int64) {
        ended = ended.filter { $0.value > now }
        if ended.count >= FarmLimits.loggedOutMax {
            ended = [:]
            before = now
        }
        ended[session.id] = session.ends
    }
}

/// Makes and checks sealed cookies, form tokens and forwarded calls.
package struct SessionSealer: Sendable {
    private let key: SymmetricKey

    fileprivate init(key: SymmetricKey) { self.key = key }

    /// Returns 128 random bits as hex digits.
    package static func randomCode(using generator: inout some RandomNumberGenerator) -> String {
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// Returns the sealed text of a session, the value of its cookie.
    package func sealed(_ session: PageSession) -> String {
        session.text + "~" + code("session", session.text).hex
    }

    /// Returns the session in a cookie's value, or `nil` unless this coordinator sealed the value.
    package func opened(_ text: String) -> PageSession? {
        guard text.utf8.count <= FarmLimits.cookieBytesMax,
            let end = text.lastIndex(of: "~"),
            let seal = Digest(String(text[text.index(after: end)...])),
            seal.isEqualInConstantTime(to: code("session", String(text[..<end])))
        else { return nil }
        return PageSession(parsing: text[..<end])
    }

    /// Returns the token that the forms of one login contain against forgery; `login` identifies
    /// the login.
    package func formToken(_ login: String) -> String { code("form", login).hex }

    package func isFormToken(_ text: String, of login: String) -> Bool {
        Digest(text)?.isEqualInConstantTime(to: code("form", login)) ?? false
    }

    /// Returns a text with its seal, to send to another coordinator with a forwarded call.
    package func sealedCall(_ text: String) -> String { text + "~" + code("call", text).hex }

    /// Returns the text of a call that another coordinator sealed, or `nil` if the seal is of
    /// another key.
    package func openedCall(_ text: String) -> Substring? {
        guard text.utf8.count <= FarmLimits.cookieBytesMax,
            let end = text.lastIndex(of: "~"),
            let seal = Digest(String(text[text.index(after: end)...])),
            seal.isEqualInConstantTime(to: code("call", String(text[..<end])))
        else { return nil }
        return text[..<end]
    }

    private func code(_ use: String, _ text: String) -> Digest {
        Digest(
            HMAC<SHA256>.authenticationCode(for: Data("\(use) \(text)".utf8), using: key)
        )
    }
}

extension LeaseSealer {
    /// The sealer of sessions on the same coordinator; its key is derived from the lease sealer's.
    package var sessions: SessionSealer {
        let code = HMAC<SHA256>.authenticationCode(for: Data("pages".utf8), using: key)
        return SessionSealer(key: SymmetricKey(data: Data(code)))
    }
}
