// Which worker fits which cell, and in words why none does: the worker that misses least is named.

/// A worker and what it offers.
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
    /// What the worker has of that name; nil: nothing.
    package var offered: [String]?

    /// What follows "offers".
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

    /// Why none of the workers that live may run a cell; nil where one may, or where none lives.
    ///
    /// The nearest is the one that misses the fewest needs, and of those the fewest altogether.
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
