// Who is logged in to a coordinator's pages. A session is a sealed value in the browser's cookie: it
// survives a restart, and nothing of it is kept here but the sessions that were logged out.
// Pure: time, keys and randomness come in.
//
// Invariants
//   - A session counts as long as its token: revoked, expired or made anew under its name, it ends.
//   - What a browser sends is looked at only after its seal.
import Crypto
import Foundation

/// One login of one browser.
package struct PageSession: Hashable, Sendable {
    /// 32 hex digits.
    package var id: String
    /// The name of the token that it began with.
    package var token: String
    /// The beginning of that token's SHA-256: a token made later under the same name is another.
    package var hash: String
    /// Milliseconds since 1970.
    package var began: Int64
    package var ends: Int64

    private static let hashDigits = 16

    /// A session that begins now.
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

    /// The record of its token; nil where the session has ended.
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

    /// Without the seal; the parts hold no `~`.
    fileprivate var text: String {
        [id, token, hash, "\(began)", "\(ends)"].joined(separator: "~")
    }
}

/// The sessions of a token that were logged out before their end.
package struct LoggedOut: Hashable, Sendable, Codable {
    /// When each would have ended, by its id.
    private var ended: [String: Int64] = [:]
    /// Sessions that began before are all over.
    private var before: Int64?

    package init() {}

    package func has(_ session: PageSession) -> Bool {
        ended[session.id] != nil || session.began < before ?? .min
    }

    /// Ends a session; of too many, all that began until now.
    package mutating func add(_ session: PageSession, now: Int64) {
        ended = ended.filter { $0.value > now }
        if ended.count >= FarmLimits.loggedOutMax {
            ended = [:]
            before = now
        }
        ended[session.id] = session.ends
    }
}

/// Makes cookies and the tokens of forms, and knows those it made.
package struct SessionSealer: Sendable {
    private let key: SymmetricKey

    fileprivate init(key: SymmetricKey) { self.key = key }

    /// 128 random bits as hex.
    package static func randomCode(using generator: inout some RandomNumberGenerator) -> String {
        (0..<2).map { _ in
            let digits = String(generator.next(), radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    /// The value of the cookie.
    package func sealed(_ session: PageSession) -> String {
        session.text + "~" + code("session", session.text).hex
    }

    /// The session of a cookie's value; nil unless it was sealed here.
    package func opened(_ text: String) -> PageSession? {
        guard text.utf8.count <= FarmLimits.cookieBytesMax,
            let end = text.lastIndex(of: "~"),
            let seal = Digest(String(text[text.index(after: end)...])),
            seal.isEqualInConstantTime(to: code("session", String(text[..<end])))
        else { return nil }
        return PageSession(parsing: text[..<end])
    }

    /// What the forms of one login carry; `login` tells logins apart.
    package func formToken(_ login: String) -> String { code("form", login).hex }

    package func isFormToken(_ text: String, of login: String) -> Bool {
        Digest(text)?.isEqualInConstantTime(to: code("form", login)) ?? false
    }

    /// What one coordinator says to another of a call that it sends on.
    package func sealedCall(_ text: String) -> String { text + "~" + code("call", text).hex }

    /// What another coordinator said of a call; nil unless it has the same key.
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
    /// For the pages of the same coordinator: another key, made of its own.
    package var sessions: SessionSealer {
        let code = HMAC<SHA256>.authenticationCode(for: Data("pages".utf8), using: key)
        return SessionSealer(key: SymmetricKey(data: Data(code)))
    }
}
