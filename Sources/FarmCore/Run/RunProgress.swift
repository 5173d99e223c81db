// How far a run is, for the live display and the API.

/// Counts of one cell of one job.
package struct CellProgress: Hashable, Sendable, Codable {
    package var job: JobName
    package var cell: CellID
    package var planned: Int
    package var done: Int
    /// Done with a verdict that is not `passed` or `flaky`.
    package var bad: Int
    /// Without a report, but the programs of live leases have come to them, as far as anybody can
    /// tell; nil: none.
    package var reached: Int?
    /// Why no worker that lives may run what is open; nil: some may, or none lives.
    package var unplaceable: String?

    package init(
        job: JobName,
        cell: CellID,
        planned: Int,
        done: Int,
        bad: Int,
        reached: Int? = nil,
        unplaceable: String? = nil
    ) {
        self.job = job
        self.cell = cell
        self.planned = planned
        self.done = done
        self.bad = bad
        self.reached = reached
        self.unplaceable = unplaceable
    }

    /// Without a verdict.
    package var open: Int { planned - done }
}

/// Counts of a run.
package struct RunProgress: Hashable, Sendable, Codable {
    package var state: RunState
    package var cells: [CellProgress]
    /// Workers seen within one lease that may take work.
    package var workers: Int
    /// What people should know now: workers that get no work, and why.
    package var notes: [Problem]

    package init(
        state: RunState,
        cells: [CellProgress],
        workers: Int,
        notes: [Problem] = []
    ) {
        self.state = state
        self.cells = cells
        self.workers = workers
        self.notes = notes
    }

    package var planned: Int { cells.reduce(0) { $0 + $1.planned } }
    package var done: Int { cells.reduce(0) { $0 + $1.done } }
    package var bad: Int { cells.reduce(0) { $0 + $1.bad } }
    package var reached: Int { cells.reduce(0) { $0 + ($1.reached ?? 0) } }

    /// Whether workers live and none of them may run any of what is open.
    package var isUnplaceable: Bool {
        let open = cells.filter { $0.open > 0 }
        return !open.isEmpty && open.allSatisfy { $0.unplaceable != nil }
    }
}
