// Who works here, as Git would sign a commit.
import FarmCore
import FarmGit

extension MainRepository {
    /// `Name <mail>` of the repository a folder lies in; nil without one, or where Git has no name.
    package static func person(of folder: String) -> String? {
        (try? MainRepository(containing: folder))?.repository.person
    }
}
