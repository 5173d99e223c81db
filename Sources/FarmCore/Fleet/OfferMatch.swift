// The match between workers and cells, and the reason, in words, why no worker fits a cell.

/// A worker with its offer.
package struct OfferingWorker: Hashable, Sendable {
    package var worker: WorkerID
    package var offer: WorkerOffer

    package init(_ worker: WorkerID, _ offer: WorkerOffer) {
        self.worker = worker
        self.offer = offer
    }
}

/// A need that a worker does not meet.
package struct OfferMiss: Hashable, Sendable {
    package var need: Need
    /// The values that the worker offers under the need's name, or `nil` if it does not offer the
    /// name.
    package var offered: [String]?

    /// The worker's offer in words, for a sentence after "offers": `no lab`, `xcode 15.1`.
    var words: String {
        guard let offered else { return "no \(need.name)" }
        return offered.isEmpty
            ? "\(need.name) without a value" : WorkerOffer.words(need.name, offered)
    }
}

package enum OfferMatch {
    package static func fits(_ needs: Needs, _ offer: WorkerOffer) -> Bool {
        needs.all.allSatisfy { $0.isMet(by: offer.values[$0.name]) }
    }

    package static func misses(of needs: Needs, in offer: WorkerOffer) -> [OfferMiss] {
        needs.all.compactMap { need in
            let offered = offer.values[need.name]
            return need.isMet(by: offered) ? nil : OfferMiss(need: need, offered: offered)
        }
    }

    /// Returns the reason why no live worker fits the cell, or `nil` if a worker fits or no worker
    /// lives.
    ///
    /// The reason names the nearest worker: the one that misses the fewest needs; among equals, the
    /// one that lacks the fewest names.
    package static func reason(_ needs: Needs, among workers: [OfferingWorker]) -> String? {
        let missing = workers.map { (worker: $0.worker, misses: misses(of: needs, in: $0.offer)) }
        guard
            let nearest = missing.min(by: {
                rank($0.worker, $0.misses) < rank($1.worker, $1.misses)
            }),
            !nearest.misses.isEmpty
        else { return nil }
        return "no worker offers \(needs.words); the nearest, \(nearest.worker), offers "
            + nearest.misses.map(\.words).joined(separator: " and ")
    }

    private static func rank(_ worker: WorkerID, _ misses: [OfferMiss]) -> (Int, Int, String) {
        (misses.count, misses.count { $0.offered == nil }, worker.text)
    }
}
