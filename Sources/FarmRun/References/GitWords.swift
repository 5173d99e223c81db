// Git commands for a user to copy into a shell.
import FarmCore
import Foundation

/// Formats Git commands for a user's shell.
enum GitWords {
    /// Returns the commands that commit one file; the path is relative if it is below the working
    /// folder.
    static func commit(_ path: String, _ message: String, isStaged: Bool) -> String {
        let working = FileManager.default.currentDirectoryPath + "/"
        let near = path.hasPrefix(working) ? String(path.dropFirst(working.count)) : path
        let file = quoted(near)
        let place = near.hasPrefix("/") ? " -C \(quoted(folder(of: near)))" : ""
        if isStaged { return "git\(place) commit -m \(quoted(message))" }
        return "git\(place) add \(file) && git\(place) commit -m \(quoted(message)) -- \(file)"
    }

    private static func folder(of path: String) -> String {
        path.parentFolder
    }

    /// Returns `word` quoted as one word of a POSIX shell.
    static func quoted(_ word: String) -> String {
        let plain = word.utf8.allSatisfy {
            (48...57).contains($0) || (65...90).contains($0) || (97...122).contains($0)
                || [45, 46, 47, 95].contains($0)
        }
        if plain, !word.isEmpty, !word.hasPrefix("-") { return word }
        return "'" + word.replacing("'", with: "'\\''") + "'"
    }
}
