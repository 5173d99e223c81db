// The parts of a coordinator's pages: the logins, and the source of the runs.
import FarmCore
import Foundation

/// Finds the desks of runs.
package protocol ReviewSources: Sendable {
    /// Returns the desk of a run.
    ///
    /// - Throws: an `ExplainedError` for an unknown run.
    func desk(of run: RunID) async throws -> any ReviewSource
    /// Returns whether a set of the run's store has exactly the run's captures of these pictures as
    /// references, and no reference for a picture that the run did not make.
    func isPublished(_ pictures: [String], of run: RunID, in set: String) async throws -> Bool
}

/// The web pages of a coordinator: the logins, and the source of the runs.
///
/// Without them it serves only programs.
package struct ServedPages: Sendable {
    let tokens: TokenFile
    let proxy: TrustedProxy?
    let desks: any ReviewSources
    let life = PageHub()
    /// Returns the time in milliseconds since 1970.
    let clock: @Sendable () -> Int64

    package init(
        tokens: TokenFile,
        proxy: TrustedProxy?,
        desks: any ReviewSources,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.tokens = tokens
        self.proxy = proxy
        self.desks = desks
        self.clock = clock
    }
}
