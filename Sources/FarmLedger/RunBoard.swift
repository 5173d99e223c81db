// The input of a claim: the counters and live leases of every cell of a run, read in the claim's
// transaction.
import FarmCore
import GRDB

/// The counters and live leases of one run's cells, in the plan's order.
struct RunBoard: Equatable {
    /// The counters of one cell, from its row of `cell_progress`.
    struct Counts: Equatable {
        var planned = 0
        var done = 0
        var leased = 0
        var reports = 0
        var seconds = 0.0
        /// The expected time from a lease's grant to its first test, by earlier runs, in
        /// microseconds; 0 if unknown.
        var start = 0
        var launch = 0
        var measured = MeasuredStarts()
    }

    /// The plan's cells in its order, each with its waiting test cases; a cell without test cases
    /// has the count 0.
    private(set) var cells: [WaitingCell] = []
    /// The names of jobs that run with no other job beside them.
    let exclusive: Set<JobName>
    let timeouts: [JobName: JobTimeouts]
    private let guesses: [JobName: LeaseStart]
    /// The number of live leases of each job that has some.
    private(set) var leasesOfJob: [JobName: Int] = [:]
    private var counts: [Counts]
    /// The number of live leases of each worker, for each cell.
    private var leasesOfWorkers: [[WorkerID: Int]]
    /// The index in `cells` of each job's first cell; the last element is the number of cells.
    private var starts = [0]
    private var places: [CellKey: Int] = [:]
    private var openCells = 0

    init(_ plan: Plan) {
        exclusive = Set(plan.jobs.filter(\.job.exclusive).map(\.job.name))
        timeouts = Dictionary(plan.jobs.map { ($0.job.name, $0.job.timeouts) }) { $1 }
        guesses = plan.jobs.reduce(into: [:]) {
            $0[$1.job.name] = $1.job.startGuess.map { LeaseStart($0) }
        }
        for planned in plan.jobs {
            for cell in planned.job.cells {
                let name = planned.job.name
                places[CellKey(job: name, cell: cell.id), default: cells.count] += 0
                cells.append(WaitingCell(job: name, cell: cell.id, count: 0))
            }
            starts.append(cells.count)
        }
        counts = Array(repeating: Counts(), count: cells.count)
        leasesOfWorkers = Array(repeating: [:], count: cells.count)
    }

    /// Returns the index of a cell in `cells`, or `nil` if the plan has no such cell.
    ///
    /// The arguments are positions in the plan.
    func place(job: Int, cell: Int) -> Int? {
        guard (0..<starts.count - 1).contains(job), cell >= 0 else { return nil }
        let place = starts[job] + cell
        return place < starts[job + 1] ? place : nil
    }

    /// Returns the plan's positions of the cell at the index `place`.
    func position(of place: Int) -> (job: Int, cell: Int) {
        let job = (starts.firstIndex { $0 > place } ?? starts.count) - 1
        return (job, place - starts[job])
    }

    /// Returns the plan's positions of the cell that a claim has chosen, or `nil` if there is none.
    func position(of choice: ClaimChoice) -> (job: Int, cell: Int)? {
        places[CellKey(job: choice.job, cell: choice.cell)].map { position(of: $0) }
    }

    mutating func set(_ new: Counts, at place: Int) {
        openCells += (new.planned > new.done ? 1 : 0) - (isOpen(place) ? 1 : 0)
        counts[place] = new
        cells[place].count = new.planned - new.done - new.leased
        cells[place].leased = new.leased
    }

    /// Adds to the number of a worker's live leases of one cell; a negative number removes leases.
    mutating func add(leases: Int, of worker: WorkerID, at place: Int) {
        let ofWorker = (leasesOfWorkers[place][worker] ?? 0) + leases
        leasesOfWorkers[place][worker] = ofWorker == 0 ? nil : ofWorker
        cells[place].workers = leasesOfWorkers[place].count
        let job = cells[place].job
        let left = (leasesOfJob[job] ?? 0) + leases
        leasesOfJob[job] = left == 0 ? nil : left
    }

    /// Whether test cases of the run have no verdict yet.
    var isOpen: Bool { openCells > 0 }

    /// Returns whether test cases of the cell at the index `place` have no verdict yet.
    func isOpen(_ place: Int) -> Bool { counts[place].planned > counts[place].done }

    /// The run's cells with their counters and the expected time before their next lease's first
    /// test.
    var startingCells: [WaitingCell] {
        var starting = cells
        for (first, end) in zip(starts, starts.dropFirst()) where first < end {
            let measured = (first..<end).reduce(MeasuredStarts()) { $0 + counts[$1].measured }
            for place in first..<end {
                starting[place].start = .expected(
                    start: counts[place].start,
                    launch: counts[place].launch,
                    measured: measured,
                    guess: guesses[cells[place].job]
                )
            }
        }
        return starting
    }

    /// The mean seconds of a report, by job; only jobs with reports.
    var meanSeconds: [JobName: Double] {
        var means: [JobName: Double] = [:]
        for (start, end) in zip(starts, starts.dropFirst()) where start < end {
            var (reports, seconds) = (0, 0.0)
            for place in start..<end {
                reports += counts[place].reports
                seconds += counts[place].seconds
            }
            if reports > 0 { means[cells[start].job] = seconds / Double(reports) }
        }
        return means
    }
}

extension RunBoard {
    /// Returns this board with the counters and live leases that a run's tables have.
    func read(_ run: RunID, _ db: Database) throws -> RunBoard {
        var board = self
        let counts = try Row.fetchCursor(
            db.cachedStatement(
                sql: "SELECT \(Self.countColumns) FROM cell_progress WHERE run = ?"
            ),
            arguments: [run.text]
        )
        while let row = try counts.next() {
            guard let place = board.place(job: row[0], cell: row[1]) else { continue }
            board.set(Counts(row), at: place)
        }
        let leases = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT job, cell, worker, count(*) FROM lease
                    WHERE run = ? AND state = 'live' GROUP BY job, cell, worker
                    """
            ),
            arguments: [run.text]
        )
        while let row = try leases.next() {
            guard let place = board.place(job: row[0], cell: row[1]) else { continue }
            board.add(leases: row[3], of: WorkerID(row[2] as String), at: place)
        }
        return board
    }

    static let countColumns = """
        job, cell, planned, done, leased, reports, seconds, start, launch,
          warm_leases, warm_sum, cold_leases, cold_sum
        """
}

extension RunBoard.Counts {
    /// Reads the counters of one cell from a row with the columns ``RunBoard/countColumns``.
    init(_ row: Row) {
        planned = row[2]
        done = row[3]
        leased = row[4]
        reports = row[5]
        seconds = row[6]
        start = row[7]
        launch = row[8]
        measured = MeasuredStarts(
            warm: MeasuredStarts.Kind(leases: row[9], sum: row[10]),
            cold: MeasuredStarts.Kind(leases: row[11], sum: row[12])
        )
    }
}

extension SQLiteLedger {
    /// Returns the board of a run within this transaction.
    func board(of run: RunID, _ db: Database) throws -> RunBoard {
        try known(run, db).board.read(run, db)
    }

    /// Updates the counters of one cell; `sql` is the part after SET and names the cell.
    func changeCounts(
        _ sql: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws {
        try db.executeKept(sql: "UPDATE cell_progress SET \(sql)", arguments: arguments)
    }
}
