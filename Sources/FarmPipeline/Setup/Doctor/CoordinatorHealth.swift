// The rights of the caller at a coordinator, and whether its workers fit the needs of the pipeline.
import FarmCore

/// The health lines about a coordinator that answers.
package enum CoordinatorHealth {
    /// Returns the line about the token's scopes.
    ///
    /// With `handsIn`, the caller has a pipeline and would submit its runs.
    package static func token(_ grant: AccessGrant, handsIn: Bool) -> HealthLine {
        let scopes = AccessScope.allCases.filter(grant.scopes.contains).map(\.rawValue)
        let fact = "\(grant.name) has the scopes \(scopes.joined(separator: ", "))"
        guard handsIn, !grant.allows([.submit]) else { return .ok("token", fact) }
        return .failure(
            "token",
            fact + ", and may not hand in runs.",
            remedy: "Make one on the coordinator's machine: snapfarm tokens create NAME --scope "
                + "submit. Then set SNAPFARM_TOKEN to it.",
            exit: .usage
        )
    }

    /// Returns the line about the certificate's end; `now` is in milliseconds since 1970.
    package static func certificate(_ life: CertificateLife, now: Int64) -> HealthLine {
        guard let words = life.warning(at: now) else {
            return .ok("certificate", "valid until \(CertificateLife.text(life.end))")
        }
        return .warning(
            "certificate",
            "the coordinator's certificate \(words).",
            remedy: "Put a new one where its `tls:` says; then call snapfarm reload on its machine."
        )
    }

    /// Returns the line about the coordinator's workers.
    ///
    /// `workers` are the live ones; `needs` are those of the pipeline's cells.
    package static func workers(_ workers: [OfferingWorker], needs: [Needs]) -> HealthLine {
        let count = "\(workers.count) \(workers.count == 1 ? "worker" : "workers")"
        guard !workers.isEmpty else {
            return .warning(
                "workers",
                "no worker calls there; a run would wait.",
                remedy: "Start one: snapfarm worker --coordinator URL, or run with --join."
            )
        }
        let without = needs.filter { need in
            !workers.contains { OfferMatch.fits(need, $0.offer) }
        }
        guard let first = without.first else {
            let fits = needs.isEmpty ? "" : ", and each of \(needs.count) cells fits one of them"
            return .ok("workers", count + " call there" + fits)
        }
        let reason = OfferMatch.reason(first, among: workers) ?? "no worker offers what they need"
        return .warning(
            "workers",
            "\(without.count) of \(needs.count) cells would wait: \(reason).",
            remedy: "Start a worker that fits; `snapfarm workers` lists what each one offers."
        )
    }
}
