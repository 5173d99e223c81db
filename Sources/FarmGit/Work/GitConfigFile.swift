// One file of Git's configuration: a repository's own, or `.gitmodules`.
import CGit2
import FarmCore

/// An open configuration file; each change is written at once.
package final class GitConfigFile {
    private let config: OpaquePointer?
    private let path: String

    /// Opens a file; a missing file counts as empty.
    package init(at path: String) throws(GitError) {
        try GitLibrary.start()
        var config: OpaquePointer?
        try GitLibrary.check(git_config_open_ondisk(&config, path), "open \(path)")
        self.config = config
        self.path = path
    }

    deinit { git_config_free(config) }

    /// Returns the value of a setting, or `nil` if it is not set.
    package func value(of name: String) -> String? {
        var value = git_buf()
        defer { git_buf_dispose(&value) }
        guard git_config_get_string_buf(&value, config, name) == 0 else { return nil }
        return value.ptr.map { String(cString: $0) }
    }

    /// Returns the settings whose name matches a regular expression, in the order of the file.
    package func settings(
        matching expression: String
    ) throws(GitError) -> [(name: String, value: String)] {
        var iterator: OpaquePointer?
        try GitLibrary.check(
            git_config_iterator_glob_new(&iterator, config, expression),
            "read \(path)"
        )
        defer { git_config_iterator_free(iterator) }
        var found: [(name: String, value: String)] = []
        var entry: UnsafeMutablePointer<git_config_entry>?
        while git_config_next(&entry, iterator) == 0, let entry {
            guard let name = entry.pointee.name, let value = entry.pointee.value else { continue }
            found.append((String(cString: name), String(cString: value)))
        }
        return found
    }

    package func set(_ name: String, to value: String) throws(GitError) {
        try GitLibrary.check(git_config_set_string(config, name, value), "set \(name) in \(path)")
    }

    /// Removes a setting; does nothing if it is not set.
    package func remove(_ name: String) throws(GitError) {
        let code = git_config_delete_entry(config, name)
        guard code != GIT_ENOTFOUND.rawValue else { return }
        try GitLibrary.check(code, "change \(name) in \(path)")
    }
}
