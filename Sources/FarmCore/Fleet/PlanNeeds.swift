// The distinct needs of a plan's cells, with the renderers of their references, computed once: a
// matrix has hundreds of cells and a handful of different needs.

/// The distinct needs of a plan's cells; cells whose references other renderers drew count as
/// different kinds.
package struct PlanNeeds: Hashable, Sendable {
    /// The needs of each kind of cells; a cell without needs counts with empty ones.
    package let kinds: [Needs]
    /// The renderers of the references of each kind's cells.
    let renderers: [CellRenderers]
    /// The position in `kinds` of each cell's needs, by job and cell.
    private let kindOfCell: [[Int]]

    /// Collects the needs of a plan; returns `nil` if every worker may run every cell.
    package init?(_ plan: Plan) {
        struct Kind: Hashable {
            let needs: Needs
            let renderers: CellRenderers
        }
        var kinds: [Kind] = []
        var places: [Kind: Int] = [:]
        var drawn: [CellKey: [[String: String]]] = [:]
        for references in plan.drawn ?? [] {
            for cell in references.cells {
                drawn[CellKey(job: references.job, cell: cell)] = references.renderers
            }
        }
        kindOfCell = plan.jobs.map { planned in
            planned.job.cells.map { cell in
                let renderers = drawn[CellKey(job: planned.job.name, cell: cell.id)].map {
                    CellRenderers(driver: planned.job.driver.name, all: $0)
                }
                let kind = Kind(needs: planned.needs(of: cell), renderers: renderers ?? .none)
                if let place = places[kind] { return place }
                places[kind] = kinds.count
                kinds.append(kind)
                return kinds.count - 1
            }
        }
        self.kinds = kinds.map(\.needs)
        renderers = kinds.map(\.renderers)
        if self.kinds.allSatisfy(\.isEmpty), !hasRenderers { return nil }
    }

    /// Whether the renderer of some cell's references is known.
    package var hasRenderers: Bool { renderers.contains { !$0.all.isEmpty } }

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
