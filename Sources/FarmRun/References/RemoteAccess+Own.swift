// The access of this machine to remote stores.
import FarmGit
import FarmReferences

extension RemoteAccess {
    /// Returns the access to remote stores that the environment's variables describe.
    package static func own(_ environment: [String: String]) -> RemoteAccess {
        var access = RemoteAccess(environment: environment)
        access.identityFile = environment["SNAPFARM_SSH_KEY"]
        access.knownHostsFile = environment["SNAPFARM_KNOWN_HOSTS"]
        access.certificatesFile = environment["SNAPFARM_CA_FILE"]
        return access
    }
}
