// What every ledger must keep, one sentence and one check each. A second implementation runs all
// of them against a bench of its own; nothing here knows how a ledger stores anything.
import FarmCore
import FarmLedger
import Testing

/// One promise of the `Ledger` protocol.
package struct LedgerPromise: Sendable, CustomTestStringConvertible {
    package let sentence: String
    let check: @Sendable (LedgerBench) async throws -> Void

    init(_ sentence: String, _ check: @escaping @Sendable (LedgerBench) async throws -> Void) {
        self.sentence = sentence
        self.check = check
    }

    package var testDescription: String { sentence }

    /// Checks the promise on a ledger that is empty.
    package func check(on bench: LedgerBench) async throws { try await check(bench) }

    package static let all =
        runs + claims + fences + completions + losses + offers + counts + pictures + isolation
        + likes
        + stragglers + presence + decisions
}
