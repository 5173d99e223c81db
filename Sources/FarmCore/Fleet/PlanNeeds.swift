// The distinct needs of a plan's cells, computed once: a matrix has hundreds of cells and a handful
// of different needs.

/// The distinct needs of a plan's cells.
package struct PlanNeeds: Hashable, Sendable {
    /// The plan's distinct needs; a cell without needs counts with empty ones.
    package let kinds: [Needs]
    /// The position in `kinds` of each cell's needs, by job and cell.
    private let kindOfCell: [[Int]]

    /// Collects the needs of a plan; returns `nil` if no cell needs anything.
    package init?(_ plan: Plan) {
        var kinds: [Needs] = []
        var places: [Needs: Int] = [:]
        kindOfCell = plan.jobs.map { planned in
            planned.job.cells.map { cell in
                let needs = planned.needs(of: cell)
                if let place = places[needs] { return place }
                places[needs] = kinds.count
                kinds.append(needs)
                return kinds.count - 1
            }
        }
        self.kinds = kinds
        if kinds.allSatisfy(\.isEmpty) { return nil }
    }

    /// Returns the position in `kinds` of a cell's needs.
    package func kind(job: Int, cell: Int) -> Int { kindOfCell[job][cell] }

    /// Returns the positions in `kinds` of the needs that a worker's offer meets.
    package func kinds(fitting offer: WorkerOffer) -> Set<Int> {
        Set(kinds.indices.filter { OfferMatch.fits(kinds[$0], offer) })
    }
}

extension PlannedJob {
    /// Returns what a worker must offer for a cell: the needs of the job, of the cell's device, and
    /// of the bundle's build.
    package func needs(of cell: Cell) -> Needs {
        Needs(
            (job.needs?.all ?? []) + (cell.device?.needs?.all ?? [])
                + BundleRules.needs(of: prepared)
        )
    }
}
