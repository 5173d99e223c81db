// The repository under test of a pipeline, as a coordinator reaches it: publications commit the pin
// there. Its address, path and credentials are the configuration's; a run says only its branch, and
// is believed where that branch has the commit that was run.
import FarmCore
import FarmDrivers
import FarmGit
import FarmReferenceTools
import FarmReferences
import Foundation

struct ServedRepository: Sendable {
    let location: StoreLocation
    let pinPath: String
    let access: RemoteAccess

    /// By pipeline.
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

    /// The branch of a run.
    ///
    /// - Throws: ``NoBranchOfRun`` where a person must place the pin; `PinBranchError`.
    func open(_ run: RunFacts) throws -> OpenPinBranch {
        guard !run.branch.isEmpty, let tested = ObjectID(run.commit) else {
            throw NoBranchOfRun(words: "The run does not say its branch and commit")
        }
        do {
            let branch = try OpenPinBranch(
                run.branch,
                of: location,
                pinPath: pinPath,
                access: access
            )
            guard try branch.holds(tested) else {
                throw NoBranchOfRun(
                    words: "The branch \(run.branch) of \(location) does not have the commit "
                        + "\(tested.short) that was run"
                )
            }
            return branch
        } catch PinBranchError.noBranch(let name, let repository) {
            throw NoBranchOfRun(words: "\(repository) has no branch \(name)")
        } catch PinBranchError.badName {
            throw NoBranchOfRun(words: "The run's branch is no name of a branch")
        }
    }
}

/// A run of no branch that a pin can be committed to: a fork's, one that was rebased, one by hand.
struct NoBranchOfRun: Error {
    /// A sentence without its end.
    let words: String
}
