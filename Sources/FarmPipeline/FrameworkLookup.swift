// The lookup of framework profiles for the pipeline decoder, which reads no file but its own.
import FarmCore

/// Finds the framework profile that a job names.
package protocol FrameworkLookup: Sendable {
    /// The names of known profiles, for suggestions after a misspelling.
    var names: [String] { get }

    /// Returns the profile of a name or of a user's file, or `nil` if the name is unknown.
    ///
    /// - Throws: the mistakes of a user's file, with that file's name.
    func profile(_ word: String) throws(DocumentErrors) -> FrameworkProfile?
}
