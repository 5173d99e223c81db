// The variables this process was started with. Tests are programs of strangers, and a program reads
// the environment block of every process of its user in /proc/<pid>/environ, its parent's first. So
// the block keeps only what a test may have anyway and the farm's own settings; the rest lives in
// this value alone.
//
// What is still reached: root reads all memory. Where the block held one of `secrets`, or a secret
// came another way and its receiver called `hideMemory`, nobody else reads this process's memory
// (Linux); otherwise a test under the same user may attach to this process as a debugger, where the
// system allows that. The process that started this one holds what it gave, and git and ssh hold a
// store's password while they speak to that store.
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
        // A location may hold a password.
        "SNAPFARM_STORE",
    ]

    /// All variables.
    ///
    /// The first look hides from others what no test may have; it comes before the first child
    /// and before other threads.
    package static let variables: [String: String] = {
        let all = ProcessInfo.processInfo.environment
        for name in all.keys where !isPublic(name) { farm_hide_variable(name) }
        if !secrets.isDisjoint(with: all.keys) { hideMemory() }
        return all
    }()

    /// Lets nobody but root read this process's memory (Linux).
    ///
    /// For a secret that is made here, or comes another way than in a variable: to be called before
    /// the first test is started.
    package static func hideMemory() { _ = farm_hide_memory() }

    /// Read by the runtime and by libraries, which know nothing of `variables`.
    private static let runtimePrefixes = [
        "SWIFT_", "LIBDISPATCH_", "MALLOC_", "LLVM_PROFILE_", "ASAN_", "TSAN_", "UBSAN_", "LD_",
        "DYLD_", "SSL_CERT_",
    ]

    private static func isPublic(_ name: String) -> Bool {
        if name.hasPrefix("SNAPFARM_") { return !secrets.contains(name) }
        return CleanEnvironment.isKept(name) || runtimePrefixes.contains { name.hasPrefix($0) }
    }

    /// What a worker process of this machine's run is given: no secret, since tests are its
    /// children.
    package static func forWorkers(_ variables: [String: String]) -> [String: String] {
        variables.filter { isPublic($0.key) || $0.key.hasPrefix("FONTCONFIG_") }
    }
}
