// The rules of access to a coordinator. A token is 256 random bits, stored as its SHA-256, with
// scopes and an end. Pure: the caller passes the tokens, the header and the time.
//
// Invariant: the time of an answer does not depend on how near a guess was. Both sides are hashed,
// every known token is checked, and no comparison ends early.
import Foundation

/// A permission that a token can have.
package enum AccessScope: String, Hashable, Sendable, Codable, CaseIterable {
    /// Permits submitting runs and their bundles, following and cancelling them.
    case submit
    /// Permits running tests: leases, results, references of open runs.
    case work
    /// Permits reading runs, workers, artifacts and metrics.
    case read
    /// Permits accepting and rejecting pictures on the pages, and publishing them.
    case review
    /// Grants all permissions.
    case admin
}

/// The stored record of a token, without the token itself.
package struct TokenRecord: Hashable, Sendable, Codable {
    /// The token's name in logs and for `tokens revoke`, unique among the coordinator's tokens.
    package var name: String
    package var scopes: [AccessScope]
    /// SHA-256 of the token's text; the text itself is not kept.
    package var sha256: Digest
    /// The time when the token was made, in milliseconds since 1970.
    package var created: Int64
    /// The token's expiry, in milliseconds since 1970, or `nil` if the token never expires.
    package var expires: Int64?
    /// The name of the person in the token's decisions, or `nil` if the token belongs to no person.
    package var person: String?
    /// The token's unused invitation, or `nil` if there is none.
    package var invitation: Invitation?
    /// The token's sessions that were logged out, or `nil` if there are none.
    package var loggedOut: LoggedOut?
    /// The patterns of the pipelines that the token reaches, or `nil` for every pipeline.
    package var pipelines: [String]?

    package init(
        name: String,
        scopes: [AccessScope],
        sha256: Digest,
        created: Int64,
        expires: Int64?,
        person: String? = nil,
        invitation: Invitation? = nil,
        pipelines: [String]? = nil
    ) {
        self.name = name
        self.scopes = scopes
        self.sha256 = sha256
        self.created = created
        self.expires = expires
        self.person = person
        self.invitation = invitation
        self.pipelines = pipelines
    }

    /// The name and rights of a caller that shows the token, or a session that began with it.
    package var grant: AccessGrant {
        AccessGrant(
            name: name,
            scopes: Set(scopes),
            person: person,
            reach: PipelineReach(patterns: pipelines)
        )
    }

    package func isExpired(now: Int64) -> Bool { expires.map { $0 <= now } ?? false }
}

/// An invitation: a link that logs one person in, once.
package struct Invitation: Hashable, Sendable, Codable {
    /// SHA-256 of the link's code; the code itself is not kept.
    package var sha256: Digest
    /// The time when the link expires, in milliseconds since 1970.
    package var expires: Int64

    package init(sha256: Digest, expires: Int64) {
        self.sha256 = sha256
        self.expires = expires
    }
}

/// An authenticated caller and its rights.
package struct AccessGrant: Hashable, Sendable {
    /// The name of the caller's token.
    package var name: String
    package var scopes: Set<AccessScope>
    /// The caller's name as a person, or `nil` if the caller is a program.
    package var person: String?
    /// The pipelines that the caller reaches; the rights in `scopes` are about those alone.
    package var reach: PipelineReach

    package init(
        name: String,
        scopes: Set<AccessScope>,
        person: String? = nil,
        reach: PipelineReach = .everything
    ) {
        self.name = name
        self.scopes = scopes
        self.person = person
        self.reach = reach
    }

    /// The name that decisions show: the person's, or else the token's.
    package var who: String { person ?? name }

    /// Whether the caller has one of the scopes in `needed`; `admin` includes all.
    package func allows(_ needed: Set<AccessScope>) -> Bool {
        scopes.contains(.admin) || !scopes.isDisjoint(with: needed)
    }

    /// Checks that the caller has one of the scopes in `needed`.
    package func check(_ needed: Set<AccessScope>) throws(AccessRefusal) {
        guard allows(needed) else {
            throw .scope(
                name: name,
                has: scopes.map(\.rawValue).sorted(),
                needs: needed.map(\.rawValue).sorted()
            )
        }
    }

    /// Checks that the caller reaches every pipeline, for a call about the whole farm.
    package func checkWholeFarm() throws(AccessRefusal) {
        guard reach.isEverything else { throw .wholeFarm(name: name, reaches: reach.words) }
    }
}

/// The reason why a call is refused before it has any effect.
package enum AccessRefusal: ExplainedError, Hashable {
    case missing
    case unknown
    case expired(name: String, at: String)
    case scope(name: String, has: [String], needs: [String])
    /// The caller hands in a run of a pipeline that it does not reach.
    case pipeline(name: String, pipeline: String, reaches: String)
    /// The call is about the whole farm, and the caller reaches only some pipelines.
    case wholeFarm(name: String, reaches: String)

    package var code: String {
        switch self {
        case .missing: "token-missing"
        case .unknown: "token-unknown"
        case .expired: "token-expired"
        case .scope: "token-scope"
        case .pipeline, .wholeFarm: "token-pipeline"
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
        case .pipeline(let name, let pipeline, let reaches):
            "the token \(name) reaches the pipelines \(reaches), not \(pipeline)."
        case .wholeFarm(let name, let reaches):
            "the token \(name) reaches the pipelines \(reaches); this call is about all."
        }
    }
    package var remedy: String {
        switch self {
        case .missing, .unknown: "Set SNAPFARM_TOKEN to a token of that coordinator."
        case .expired, .scope:
            "Make another on the coordinator's machine: snapfarm tokens create NAME --scope SCOPE."
        case .pipeline, .wholeFarm:
            "Use a token that reaches it: snapfarm tokens create NAME --scope SCOPE "
                + "--pipeline PATTERN, or without --pipeline for all."
        }
    }
    package var exit: ExitCode { .usage }
}

package enum AccessRules {
    /// Returns the rights of the caller that the `Authorization` header authenticates.
    ///
    /// - Throws: `AccessRefusal` if the token is missing, unknown or expired, or has none of the
    /// scopes in `needed`.
    package static func grant(
        _ header: String?,
        among records: [TokenRecord],
        needing needed: Set<AccessScope>,
        now: Int64
    ) throws(AccessRefusal) -> AccessGrant {
        guard let token = bearer(header) else { throw .missing }
        let found = try record(of: token, among: records, now: now)
        try found.grant.check(needed)
        return found.grant
    }

    /// Returns the record of a token.
    ///
    /// - Throws: `AccessRefusal` if the token is unknown or has expired.
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

    /// Returns the token of an `Authorization` header, or `nil` if it has none.
    package static func bearer(_ header: String?) -> String? {
        guard let header, header.prefix(7).lowercased() == "bearer " else { return nil }
        let token = header.dropFirst(7).drop { $0 == " " }
        return token.isEmpty ? nil : String(token)
    }

    /// Whether `text` is a valid token name, which can be in logs, file names and command lines.
    package static func isName(_ text: String) -> Bool {
        (1...FarmLimits.tokenNameBytesMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                    || [45, 46, 95].contains($0)
            }
    }

    /// Whether each of `patterns` can be a token's pattern of pipelines: one line, at most
    /// `FarmLimits.tokenPatternsMax` of them.
    package static func arePatterns(_ patterns: [String]) -> Bool {
        (1...FarmLimits.tokenPatternsMax).contains(patterns.count)
            && patterns.allSatisfy { FleetNames.isUsable($0) }
    }

    /// Whether `text` is a person's name: one line that moves no cursor and reorders no text beside
    /// it.
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
