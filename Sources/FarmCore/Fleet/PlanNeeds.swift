// What the cells of a plan need, looked at once: a matrix has hundreds of cells and a handful of
// different needs.

/// The different needs of a plan's cells.
package struct PlanNeeds: Hashable, Sendable {
    /// Each once; a cell without needs has an empty one.
    package let kinds: [Needs]
    /// By job and cell, the position of what it needs.
    private let kindOfCell: [[Int]]

    /// Nil where no cell needs anything.
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

    package func kind(job: Int, cell: Int) -> Int { kindOfCell[job][cell] }

    /// The kinds that a worker may run.
    package func kinds(fitting offer: WorkerOffer) -> Set<Int> {
        Set(kinds.indices.filter { OfferMatch.fits(kinds[$0], offer) })
    }
}

extension PlannedJob {
    /// What the job and the cell's device need, and what its bundle was built for.
    package func needs(of cell: Cell) -> Needs {
        Needs(
            (job.needs?.all ?? []) + (cell.device?.needs?.all ?? [])
                + BundleRules.needs(of: prepared)
        )
    }
}
