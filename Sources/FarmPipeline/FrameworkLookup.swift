// How the reader of pipeline files asks for the profile of a framework: it knows no file but its own.
import FarmCore

/// Finds profiles by what a job says.
package protocol FrameworkLookup: Sendable {
    /// For people who misspell one.
    var names: [String] { get }

    /// The profile of a name or of a user's file; nil where there is none of that name.
    ///
    /// - Throws: the mistakes of a user's file, under that file's name.
    func profile(_ word: String) throws(DocumentErrors) -> FrameworkProfile?
}
