// What a coordinator's pages are made of: who may enter, and where the runs lie.
import FarmCore
import Foundation

/// Finds the run of a page.
package protocol ReviewDesks: Sendable {
    /// - Throws: an `ExplainedError` for a run that is not there.
    func desk(of run: RunID) async throws -> any ReviewDesk
    /// Whether a set of the run's store has what the run made of these pictures as references, and
    /// lacks those of which it made none.
    func isPublished(_ pictures: [String], of run: RunID, in set: String) async throws -> Bool
}

/// The pages of a coordinator; one without them speaks to programs alone.
package struct ServedPages: Sendable {
    let tokens: TokenFile
    let proxy: TrustedProxy?
    let desks: any ReviewDesks
    let life = PageLife()
    /// Milliseconds since 1970.
    let clock: @Sendable () -> Int64

    package init(
        tokens: TokenFile,
        proxy: TrustedProxy?,
        desks: any ReviewDesks,
        clock: @escaping @Sendable () -> Int64
    ) {
        self.tokens = tokens
        self.proxy = proxy
        self.desks = desks
        self.clock = clock
    }
}
