// Which commit a run is of: what the CI says, else what is checked out around the pipeline file.
import FarmCI
import FarmCore
import FarmReferenceTools
import FarmReferences

struct SourcePlace: Sendable {
    /// Empty where nobody knows.
    let commit: String
    let branch: String

    init(_ ci: CIEnvironment?, folder: String) {
        if let ci {
            commit = ci.commit
            branch = ci.branch
        } else {
            let repository = try? MainRepository(containing: folder)
            commit = (try? repository?.commit("HEAD"))?.hex ?? ""
            branch = repository?.branch ?? ""
        }
    }
}
