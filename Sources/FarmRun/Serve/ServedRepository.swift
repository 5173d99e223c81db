// The repository under test of a pipeline, in which a coordinator commits the pin of a publication.
// Address, path and credentials come from the configuration. A run gives only its branch, which
// must contain the commit that was run.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferences
import FarmReports
import Foundation

struct ServedRepository: Sendable {
    let location: StoreLocation
    let pinPath: String
    let access: RemoteAccess

    /// Returns the configured repositories, by pipeline.
    ///
    /// - Throws: `StoreLocationError`, and `ConfigurationError` for a variable that is not set.
    static func all(
        _ configuration: CoordinatorConfiguration,
        _ environment: [String: String]
    ) throws -> [String: ServedRepository] {
        try configuration.settings.repositories.mapValues { settings in
            var access = RemoteAccess.own(environment)
            access.token = try configuration.secret(
                settings.token,
                or: "SNAPFARM_REPOSITORY_TOKEN",
                environment
            )
            if let key = settings.key { access.identityFile = configuration.path(key) }
            return ServedRepository(
                location: try StoreLocation(
                    parsing: settings.url,
                    relativeTo: configuration.folder
                ),
                pinPath: settings.pinPath,
                access: access
            )
        }
    }

    /// Opens the branch of a run in the repository.
    ///
    /// - Throws: ``NoBranchOfRun`` if a person must place the pin; `PinBranchError`.
    func open(_ run: RunFacts) throws -> OpenPinBranch {
        guard !run.branch.isEmpty, let tested = ObjectID(run.commit) else {
            throw NoBranchOfRun.unknown
        }
        do {
            let branch = try OpenPinBranch(
                run.branch,
                of: location,
                pinPath: pinPath,
                access: access
            )
            guard try branch.holds(tested) else {
                throw NoBranchOfRun.otherCommits(
                    branch: run.branch,
                    repository: "\(location)",
                    commit: tested
                )
            }
            return branch
        } catch PinBranchError.noBranch(let name, let repository) {
            throw NoBranchOfRun.missing(branch: name, repository: "\(repository)")
        } catch PinBranchError.badName {
            throw NoBranchOfRun.badName
        }
    }
}
