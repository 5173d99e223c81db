// The variables that this process was started with. Tests are untrusted programs, and a program can
// read the environment block of every process of its user in /proc/<pid>/environ. So the block
// keeps only what a test may have anyway and the farm's own settings; all else lives in this value
// alone.
//
// Limits of the protection: root can always read this process's memory. On Linux only root can, if
// the block held one of `secrets` or `hideMemory` was called for a secret from elsewhere. In all
// other cases a test under the same user may attach to this process as a debugger, if the system
// allows that. The process that started this one keeps the variables it passed, and git and ssh
// hold a store's password while they talk to that store.
import CFarmShims
import Foundation

/// This process's environment as it was at its start.
package enum OwnEnvironment {
    /// Names of variables whose values are secrets of the farm.
    package static let secrets: Set<String> = [
        "SNAPFARM_TOKEN", "SNAPFARM_STORE_TOKEN",
        "SNAPFARM_GITHUB_TOKEN", "SNAPFARM_GITLAB_TOKEN", "SNAPFARM_BITBUCKET_TOKEN",
        "SNAPFARM_REPOSITORY_TOKEN",
        "SNAPFARM_ARTIFACT_HEADER",
        // A location may contain a password.
        "SNAPFARM_STORE",
    ]

    /// All variables that this process was started with.
    ///
    /// The first access hides from other processes what no test may have; it must come before the
    /// first child and before other threads.
    package static let variables: [String: String] = {
        let all = ProcessInfo.processInfo.environment
        for name in all.keys where !isPublic(name) { farm_hide_variable(name) }
        if !secrets.isDisjoint(with: all.keys) { hideMemory() }
        return all
    }()

    /// Prevents all processes but root's from reading this process's memory (Linux).
    ///
    /// For a secret that is made here, or does not come in a variable; to be called before the
    /// first test is started.
    package static func hideMemory() { _ = farm_hide_memory() }

    /// The prefixes of variables that are not hidden, because the runtime and libraries read them
    /// without `variables`.
    private static let runtimePrefixes = [
        "SWIFT_", "LIBDISPATCH_", "MALLOC_", "LLVM_PROFILE_", "ASAN_", "TSAN_", "UBSAN_", "LD_",
        "DYLD_", "SSL_CERT_",
    ]

    private static func isPublic(_ name: String) -> Bool {
        if name.hasPrefix("SNAPFARM_") { return !secrets.contains(name) }
        return CleanEnvironment.isKept(name) || runtimePrefixes.contains { name.hasPrefix($0) }
    }

    /// Returns the variables that a worker process of this machine's run gets: no secret, since
    /// tests are the worker's children.
    package static func forWorkers(_ variables: [String: String]) -> [String: String] {
        variables.filter { isPublic($0.key) || $0.key.hasPrefix("FONTCONFIG_") }
    }
}
