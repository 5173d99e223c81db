// Who works here, as Git would sign a commit.
import CGit2
import FarmCore

extension MainRepository {
    /// `Name <mail>` of the repository a folder lies in; nil without one, or where Git has no name.
    package static func person(of folder: String) -> String? {
        guard let repository = try? MainRepository(containing: folder) else { return nil }
        var signature: UnsafeMutablePointer<git_signature>?
        guard git_signature_default(&signature, repository.handle) == 0, let signature else {
            return nil
        }
        defer { git_signature_free(signature) }
        return String(cString: signature.pointee.name)
            + " <\(String(cString: signature.pointee.email))>"
    }
}
