// Creates repositories, and reads and writes their settings.
import CGit2
import FarmCore

extension GitRepository {
    /// Creates a bare repository at a path that does not exist; its branch is `main`.
    package static func create(at path: String) throws(GitError) {
        try GitLibrary.start()
        var options = git_repository_init_options()
        try GitLibrary.check(
            git_repository_init_options_init(
                &options,
                UInt32(GIT_REPOSITORY_INIT_OPTIONS_VERSION)
            ),
            "prepare a repository"
        )
        options.flags =
            GIT_REPOSITORY_INIT_BARE.rawValue | GIT_REPOSITORY_INIT_MKDIR.rawValue
            | GIT_REPOSITORY_INIT_NO_REINIT.rawValue
        var made: OpaquePointer?
        let code = "main".withCString { branch in
            options.initial_head = branch
            return git_repository_init_ext(&made, path, &options)
        }
        git_repository_free(made)
        try GitLibrary.check(code, "make a repository at \(path)")
    }

    /// Writes settings into the configuration of a bare repository.
    package func configure(_ settings: [(name: String, value: String)]) throws(GitError) {
        let file = try GitConfigFile(at: path + "/config")
        for (name, value) in settings { try file.set(name, to: value) }
    }

    /// Returns a setting of the repository or else of the user, or `nil` if it is not set.
    package func setting(_ name: String) throws(GitError) -> String? {
        var config: OpaquePointer?
        try GitLibrary.check(git_repository_config_snapshot(&config, handle), "read Git's settings")
        defer { git_config_free(config) }
        var text: UnsafePointer<CChar>?
        guard git_config_get_string(&text, config, name) == 0 else { return nil }
        return text.map { String(cString: $0) }
    }

    /// Whether this clone lacks objects that Git fetches when they are needed.
    package var isPartial: Bool {
        guard let file = try? GitConfigFile(at: commonFolder + "/config") else { return false }
        if file.value(of: "extensions.partialclone") != nil { return true }
        let promisors = try? file.settings(matching: "^remote\\..*\\.promisor$")
        return promisors?.contains { $0.value == "true" } ?? false
    }

    /// Whether the clone is shallow: its history is cut off.
    package var isShallow: Bool { git_repository_is_shallow(handle) != 0 }
}
