// The run of a coordinator that a command names: its id, or the word `latest`.
import FarmAPI
import FarmCore
import Foundation

/// A run by its id, or the newest one of the work tree's branch.
package struct RequestedRun: Sendable {
    /// The runs that `latest` may mean.
    package enum Kind: Sendable {
        case open, ended
        /// An open run if there is one, and otherwise the newest.
        case openFirst
    }

    let name: String
    let kind: Kind
    let environment: [String: String]

    package init(_ name: String, _ kind: Kind, environment: [String: String]) {
        self.name = name
        self.kind = kind
        self.environment = environment
    }

    /// Returns the run's id.
    ///
    /// - Throws: ``LatestRunError`` for `latest` outside of a work tree, or without such a run.
    package func id(at client: CoordinatorClient) async throws -> RunID {
        guard name == RunSearch.latest else { return RunID(name) }
        let place = SourcePlace(
            CIEnvironment.detect(environment),
            folder: FileManager.default.currentDirectoryPath,
            environment
        )
        guard !place.branch.isEmpty || !place.commit.isEmpty else { throw LatestRunError.noBranch }
        let runs = try await client.runs(limit: FarmLimits.listMax)
        let latest = latest(among: runs.filter { place.isOwn($0) })
        guard let latest else { throw LatestRunError.none(kind, branch: place.branch) }
        return latest
    }

    private func latest(among runs: [RunListing]) -> RunID? {
        let newest = runs.sorted { ($0.started, $0.run) > ($1.started, $1.run) }
        let open = newest.first { $0.state == .running }
        switch kind {
        case .open: return open?.run
        case .ended: return newest.first { $0.state != .running }?.run
        case .openFirst: return (open ?? newest.first)?.run
        }
    }
}

extension SourcePlace {
    /// Whether a run is of this branch, or of this very commit if the branch is unknown.
    fileprivate func isOwn(_ run: RunListing) -> Bool {
        branch.isEmpty ? run.commit == commit : fits(run)
    }
}

/// The errors of `latest`.
package enum LatestRunError: ExplainedError {
    case noBranch
    case none(RequestedRun.Kind, branch: String)

    package var code: String { "unknown-run" }
    package var message: String {
        switch self {
        case .noBranch:
            "latest is the newest run of the work tree's branch, and no work tree is here."
        case .none(let kind, let branch):
            "no run of \(branch.isEmpty ? "this commit" : "branch \(branch)") "
                + (kind == .open ? "is open." : kind == .ended ? "has ended." : "is known.")
        }
    }
    package var remedy: String { "`snapfarm runs` lists the runs; name one by its id." }
    package var exit: ExitCode { .invalidInput }
}
