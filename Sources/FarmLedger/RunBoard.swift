// What a claim is decided by: the counters and live leases of every cell of a run, as the tables say
// within the transaction that asks.
import FarmCore
import GRDB

/// The counters and live leases of one run's cells, in the plan's order.
struct RunBoard: Equatable {
    /// One row of `cell_progress`.
    struct Counts: Equatable {
        var planned = 0
        var done = 0
        var leased = 0
        var reports = 0
        var seconds = 0.0
        /// Microseconds before a lease's first test by earlier runs; 0 where they do not know.
        var start = 0
        var launch = 0
        var measured = MeasuredStarts()
    }

    /// Every cell of the plan; of those without test cases nothing waits.
    private(set) var cells: [WaitingCell] = []
    /// Jobs beside which nothing else runs.
    let exclusive: Set<JobName>
    let timeouts: [JobName: JobTimeouts]
    private let guesses: [JobName: LeaseStart]
    /// Jobs that have live leases.
    private(set) var leasesOfJob: [JobName: Int] = [:]
    private var counts: [Counts]
    /// By cell: the live leases of each worker that has some.
    private var leasesOfWorkers: [[WorkerID: Int]]
    /// Where a job's cells begin, and at last where they end.
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

    /// Where a cell is, by its positions in the plan; nil for one that the plan does not have.
    func place(job: Int, cell: Int) -> Int? {
        guard (0..<starts.count - 1).contains(job), cell >= 0 else { return nil }
        let place = starts[job] + cell
        return place < starts[job + 1] ? place : nil
    }

    /// The positions in the plan of the cell at a place.
    func position(of place: Int) -> (job: Int, cell: Int) {
        let job = (starts.firstIndex { $0 > place } ?? starts.count) - 1
        return (job, place - starts[job])
    }

    /// The positions in the plan of the cell that was chosen.
    func position(of choice: ClaimChoice) -> (job: Int, cell: Int)? {
        places[CellKey(job: choice.job, cell: choice.cell)].map { position(of: $0) }
    }

    mutating func set(_ new: Counts, at place: Int) {
        openCells += (new.planned > new.done ? 1 : 0) - (isOpen(place) ? 1 : 0)
        counts[place] = new
        cells[place].count = new.planned - new.done - new.leased
        cells[place].leased = new.leased
    }

    /// Counts live leases of a worker that came or, below zero, went.
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

    /// Whether test cases of a cell have no verdict yet.
    func isOpen(_ place: Int) -> Bool { counts[place].planned > counts[place].done }

    /// The cells with what their next leases are expected to take before their first tests.
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

    /// What a report of each job said on average.
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
    /// This board of a plan, with what the tables say of a run.
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
    /// A row of ``RunBoard/countColumns``.
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
    /// The board of a run, as of now in this transaction.
    func board(of run: RunID, _ db: Database) throws -> RunBoard {
        try known(run, db).board.read(run, db)
    }

    /// Changes the counters of one cell; `sql` says of which.
    func changeCounts(
        _ sql: String,
        _ arguments: StatementArguments,
        _ db: Database
    ) throws {
        try db.executeKept(sql: "UPDATE cell_progress SET \(sql)", arguments: arguments)
    }
}
