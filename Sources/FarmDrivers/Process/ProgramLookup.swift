// Finds a child's program before it is started, so that an error can name a missing program.
import FarmCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension ChildProcess {
    /// Returns the path of the child's program: a path as it is, a name found in the child's
    /// `PATH`.
    ///
    /// An isolated child's paths are those that it sees: bubblewrap looks for them.
    ///
    /// - Throws: `DriverError` if the working directory or the program is missing.
    func resolvedProgram() throws -> String {
        if enclosure != nil, executable.hasPrefix("/") { return executable }
        guard enclosure != nil || isFolder(folder) else { throw DriverError.folderMissing(folder) }
        if executable.contains("/") {
            let path = executable.hasPrefix("/") ? executable : folder + "/" + executable
            guard access(path, X_OK) == 0 else { throw DriverError.programMissing(path) }
            return path
        }
        for place in (environment["PATH"] ?? "").split(separator: ":") {
            let path = "\(place)/\(executable)"
            if access(path, X_OK) == 0, !isFolder(path) { return path }
        }
        throw DriverError.programMissing(executable)
    }
}

/// Whether there is a folder at a path, following links.
func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && (status.st_mode & 0o170_000) == 0o040_000
}
