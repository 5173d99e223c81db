// All references that the pictures of a cell may be compared with, for a run and for a judgement.
import FarmCore

extension ReferenceStore {
    /// Returns the references of a cell at the plan's pin, with those of earlier names and cells if
    /// the plan compares.
    package func references(of cell: CellID, for plan: Plan) throws -> CellReferences {
        CellReferences(
            references: try references(plan.pin, cell: cell),
            suites: try suiteRecords(plan.pin, cell: cell),
            predecessors: try predecessors(of: cell, plan)
        )
    }

    private func predecessors(of cell: CellID, _ plan: Plan) throws -> CellPredecessors? {
        guard plan.mode == .verify else { return nil }
        let rules = SuccessionRules(cells: plan.matrix, renames: plan.renames)
        let succeeded = rules.predecessors(of: cell)
        guard !succeeded.isEmpty || !plan.renames.isEmpty else { return nil }
        return CellPredecessors(
            cells: plan.matrix.filter { $0.id == cell || succeeded.contains($0.id) },
            renames: plan.renames,
            references: try succeeded.flatMap { try references(plan.pin, cell: $0) }
        )
    }
}
