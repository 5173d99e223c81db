// The earlier run of `--red-of`: by its id, as `latest`, or from an output folder or a zip whose
// machine is gone.
import FarmAPI
import FarmCore
import FarmDrivers
import FarmReview
import Foundation

/// The option `--red-of` of `snapfarm run`.
package struct RedOfRequest: Sendable {
    /// The run as the user named it: an id, `latest`, a path or a URL.
    let name: String
    let allowsOtherCode: Bool

    package init(_ name: String, allowsOtherCode: Bool) {
        self.name = name
        self.allowsOtherCode = allowsOtherCode
    }

    /// Whether the name is that of a folder or zip, and not of a run in a ledger.
    var isPlace: Bool { name.contains("/") || name.hasSuffix(".zip") }

    /// Finds the run by its id or as `latest`; `runs` returns the runs of the ledger.
    ///
    /// - Throws: ``RedOfError/noRun`` if `latest` names none.
    func message(
        _ prepared: PreparedRun,
        runs: () async throws -> [RunListing]
    ) async throws -> RedOf {
        var id = RunID(name)
        if name == RunSearch.latest {
            let ended = try await runs().filter {
                $0.pipeline == prepared.source.pipeline.name && $0.mode == .verify
                    && ![.running, .unjudgeable].contains($0.state) && prepared.place.fits($0)
            }
            guard let newest = ended.max(by: { ($0.started, $0.run) < ($1.started, $1.run) })
            else { throw RedOfError.noRun }
            id = newest.run
        }
        return RedOf(run: id, allowsOtherCode: allowsOtherCode)
    }

    /// Reads the run from its folder or zip.
    func earlier(_ environment: [String: String]) async throws -> EarlierRun {
        let scratch = try OwnedFolder("red-of")
        defer { scratch.remove() }
        let path = try await ReviewDownload.local(name, environment, scratch.path)
        let run = try ReviewedRun(from: path, origin: name, scratch: scratch.path)
        guard case .kept(let files) = run.source, let summary = try run.summary() else {
            throw ReviewRefusal.notOurs(origin: name, fact: "it has no \(KeptFiles.summary)")
        }
        let evidence = try KeptRun.evidence(in: files, of: run, name)
        return EarlierRun(plan: evidence.plan, summary: summary, leases: evidence.leases)
    }
}

extension PlannedWork {
    /// Returns the work without what passed in the earlier run of `redOf`, if that names a folder or
    /// zip.
    func red(
        of redOf: RedOfRequest?,
        _ prepared: PreparedRun,
        _ environment: [String: String]
    ) async throws -> PlannedWork {
        guard let redOf, redOf.isPlace else { return self }
        let plan = try plan.red(
            of: try await redOf.earlier(environment),
            prepared.facts(of: plan, mode: plan.mode),
            allowsOtherCode: redOf.allowsOtherCode
        )
        return PlannedWork(plan, costs: plan.inherited.flatMap { costs?.without($0) })
    }
}
