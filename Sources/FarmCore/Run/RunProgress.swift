// The progress of a run, for the live display and the API.

/// The progress of one cell of one job, as numbers of test cases.
package struct CellProgress: Hashable, Sendable, Codable {
    package var job: JobName
    package var cell: CellID
    package var planned: Int
    package var done: Int
    /// The number of test cases whose verdict is neither `passed` nor `flaky`.
    package var bad: Int
    /// The number of test cases without a report that the programs of live leases have reached, as
    /// far as known; `nil` if there are none.
    package var reached: Int?
    /// The reason why no live worker fits the cell, or `nil` if a worker fits or no worker lives.
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

    /// The number of test cases without a verdict.
    package var open: Int { planned - done }
}

/// The progress of a run.
package struct RunProgress: Hashable, Sendable, Codable {
    package var state: RunState
    package var cells: [CellProgress]
    /// The number of workers that called within the life of a lease and may take work.
    package var workers: Int
    /// Notes for people, such as the reasons why workers get no work.
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

    /// Whether there are live workers, but none that fits a cell with open test cases.
    package var isUnplaceable: Bool {
        let open = cells.filter { $0.open > 0 }
        return !open.isEmpty && open.allSatisfy { $0.unplaceable != nil }
    }
}
