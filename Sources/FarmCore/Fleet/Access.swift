// Who may ask a coordinator what. A token is 256 random bits of which only the SHA-256 is kept;
// it has scopes and an end. Pure: the caller brings the tokens, the header and the time.
//
// Invariant: how long an answer takes tells nothing of how near a guess was. Both sides are
// hashed, every known token is looked at, and no comparison ends early.
import Foundation

/// What a token allows.
package enum AccessScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Hand in runs and their bundles, follow and cancel them.
    case submit
    /// Run tests: leases, results, references of open runs.
    case work
    /// Look at runs, workers, artifacts and metrics.
    case read
    /// Accept and reject pictures on the pages, and publish them.
    case review
    /// Everything.
    case admin
}

/// One token, without the token itself.
package struct TokenRecord: Hashable, Sendable, Codable {
    /// Unique among a coordinator's tokens; what logs and `tokens revoke` call it.
    package var name: String
    package var scopes: [AccessScope]
    /// SHA-256 of the token's text; the token itself is not kept.
    package var sha256: Digest
    /// Milliseconds since 1970.
    package var created: Int64
    /// Milliseconds since 1970; nil: never.
    package var expires: Int64?
    /// Whom decisions name; nil where the token is no person's.
    package var person: String?
    /// A link that nobody has opened yet; nil where there is none.
    package var invitation: Invitation?
    /// Sessions on the pages that were logged out; nil where none was.
    package var loggedOut: LoggedOut?

    package init(
        name: String,
        scopes: [AccessScope],
        sha256: Digest,
        created: Int64,
        expires: Int64?,
        person: String? = nil,
        invitation: Invitation? = nil
    ) {
        self.name = name
        self.scopes = scopes
        self.sha256 = sha256
        self.created = created
        self.expires = expires
        self.person = person
        self.invitation = invitation
    }

    /// Of a caller who has shown the token, or a session that it began.
    package var grant: AccessGrant {
        AccessGrant(name: name, scopes: Set(scopes), person: person)
    }

    package func isExpired(now: Int64) -> Bool { expires.map { $0 <= now } ?? false }
}

/// A link that logs one person in, once.
package struct Invitation: Hashable, Sendable, Codable {
    /// SHA-256 of the link's code; the code itself is not kept.
    package var sha256: Digest
    /// Milliseconds since 1970.
    package var expires: Int64

    package init(sha256: Digest, expires: Int64) {
        self.sha256 = sha256
        self.expires = expires
    }
}

/// Who calls, and what that caller may do.
package struct AccessGrant: Hashable, Sendable {
    /// The token's name.
    package var name: String
    package var scopes: Set<AccessScope>
    /// Nil where the caller is no person.
    package var person: String?

    package init(name: String, scopes: Set<AccessScope>, person: String? = nil) {
        self.name = name
        self.scopes = scopes
        self.person = person
    }

    /// Whom decisions name: a person, or else the token.
    package var who: String { person ?? name }

    /// Whether the caller has one of these scopes; `admin` has all.
    package func allows(_ needed: Set<AccessScope>) -> Bool {
        scopes.contains(.admin) || !scopes.isDisjoint(with: needed)
    }
}

/// Why a call is refused before anything is done.
package enum AccessRefusal: ExplainedError, Hashable {
    case missing
    case unknown
    case expired(name: String, at: String)
    case scope(name: String, has: [String], needs: [String])

    package var code: String {
        switch self {
        case .missing: "token-missing"
        case .unknown: "token-unknown"
        case .expired: "token-expired"
        case .scope: "token-scope"
        }
    }
    package var message: String {
        switch self {
        case .missing: "the call carries no token."
        case .unknown: "the coordinator does not know this token."
        case .expired(let name, let time): "the token \(name) expired at \(time)."
        case .scope(let name, let has, let needs):
            "the token \(name) has the scopes \(has.joined(separator: ", ")); this call needs "
                + "\(needs.joined(separator: " or "))."
        }
    }
    package var remedy: String {
        switch self {
        case .missing, .unknown: "Set SNAPFARM_TOKEN to a token of that coordinator."
        case .expired, .scope:
            "Make another on the coordinator's machine: snapfarm tokens create NAME --scope SCOPE."
        }
    }
    package var exit: ExitCode { .usage }
}

package enum AccessRules {
    /// Who a call with this `Authorization` header is, if it may do what needs one of `needed`.
    package static func grant(
        _ header: String?,
        among records: [TokenRecord],
        needing needed: Set<AccessScope>,
        now: Int64
    ) throws(AccessRefusal) -> AccessGrant {
        guard let token = bearer(header) else { throw .missing }
        let found = try record(of: token, among: records, now: now)
        guard found.grant.allows(needed) else {
            throw .scope(
                name: found.name,
                has: found.scopes.map(\.rawValue).sorted(),
                needs: needed.map(\.rawValue).sorted()
            )
        }
        return found.grant
    }

    /// The record of a token that is good now.
    package static func record(
        of token: String,
        among records: [TokenRecord],
        now: Int64
    ) throws(AccessRefusal) -> TokenRecord {
        let given = Digest(of: Data(token.utf8))
        var found: TokenRecord?
        for record in records where record.sha256.isEqualInConstantTime(to: given) {
            found = record
        }
        guard let found else { throw .unknown }
        if let expires = found.expires, expires <= now {
            throw .expired(name: found.name, at: ISO8601.text(expires))
        }
        return found
    }

    /// The token of an `Authorization` header; nil where there is none.
    package static func bearer(_ header: String?) -> String? {
        guard let header, header.prefix(7).lowercased() == "bearer " else { return nil }
        let token = header.dropFirst(7).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    /// A name for a token: what logs, files and command lines can hold.
    package static func isName(_ text: String) -> Bool {
        (1...FarmLimits.tokenNameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }

    /// A person's name: one line that neither moves a cursor nor reorders what stands beside it.
    package static func isPerson(_ text: String) -> Bool {
        (1...FarmLimits.personBytesMax).contains(text.utf8.count)
            && text == text.trimmingCharacters(in: .whitespacesAndNewlines)
            && text.unicodeScalars.allSatisfy { scalar in
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse,
                    .unassigned:
                    false
                default: true
                }
            }
    }
}
