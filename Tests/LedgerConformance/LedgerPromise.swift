// The promises of every ledger, each a sentence and a check. A second implementation runs all of
// them with a bench of its own; nothing here depends on how a ledger stores its data.
import FarmCore
import FarmLedger
import Testing

/// A promise of the `Ledger` protocol.
package struct LedgerPromise: Sendable, CustomTestStringConvertible {
    package let sentence: String
    let check: @Sendable (LedgerBench) async throws -> Void

    init(_ sentence: String, _ check: @escaping @Sendable (LedgerBench) async throws -> Void) {
        self.sentence = sentence
        self.check = check
    }

    package var testDescription: String { sentence }

    /// Checks the promise on an empty ledger.
    package func check(on bench: LedgerBench) async throws { try await check(bench) }

    package static let all =
        runs + claims + fences + completions + losses + offers + counts + pictures + isolation
        + likes
        + stragglers + presence + decisions + renderers
}
