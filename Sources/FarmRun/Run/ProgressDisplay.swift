// The progress of a run. On a terminal it is a block that is redrawn (per cell, done of total,
// rate, time left). Elsewhere it is a line per finished cell and a heartbeat, because CIs kill
// silent runs.
import FarmCore
import Foundation

/// Shows the progress of a run on standard error.
struct ProgressDisplay {
    private static let rowsMax = 12
    private static let notesMax = 4
    private static let notesSaidMax = 100

    let isLive: Bool
    let isQuiet: Bool
    private var block = LiveBlock()
    private var finished: Set<String> = []
    /// The notes that were printed already, without their digits, because numbers change.
    private var said: Set<String> = []
    private var lastLine: ContinuousClock.Instant
    private let started: ContinuousClock.Instant

    init(isLive: Bool, isQuiet: Bool, now: ContinuousClock.Instant) {
        self.isLive = isLive
        self.isQuiet = isQuiet
        started = now
        lastLine = now
    }

    /// The longest wait for the next progress, in seconds; the end of a run is reported at once.
    var intervalSeconds: Double { isQuiet ? FarmLimits.claimWaitSeconds : isLive ? 0.1 : 1 }

    mutating func show(_ progress: RunProgress, now: ContinuousClock.Instant) {
        guard !isQuiet else { return }
        if isLive { redraw(progress, now: now) } else { log(progress, now: now) }
    }

    /// Removes the live block from the terminal.
    mutating func finish() { block.clear() }

    private mutating func redraw(_ progress: RunProgress, now: ContinuousClock.Instant) {
        var lines = [headline(progress, now: now)]
        let open = progress.cells.filter { $0.done < $0.planned }
        let busy = open.filter { $0.done > 0 } + open.filter { $0.done == 0 }
        lines += busy.prefix(Self.rowsMax).map(row)
        if busy.count > Self.rowsMax { lines.append("  … \(busy.count - Self.rowsMax) more cells") }
        lines += progress.notes.prefix(Self.notesMax).map { "  ! \($0.message)" }
        block.draw(lines)
    }

    private mutating func log(_ progress: RunProgress, now: ContinuousClock.Instant) {
        var spoke = false
        for note in progress.notes where said.count < Self.notesSaidMax {
            let key = note.code + note.message.filter { !$0.isNumber }
            guard said.insert(key).inserted else { continue }
            Console.say(note.message)
            spoke = true
        }
        for cell in progress.cells where cell.done == cell.planned {
            guard finished.insert("\(cell.job)/\(cell.cell)").inserted else { continue }
            let bad = cell.bad > 0 ? ", \(cell.bad) not as expected" : ""
            Console.say("\(cell.job) on \(cell.cell): \(cell.done) of \(cell.planned) done\(bad)")
            spoke = true
        }
        if spoke {
            lastLine = now
        } else if now - lastLine > .seconds(Heartbeat.seconds) {
            Console.say(headline(progress, now: now))
            lastLine = now
        }
    }

    private func headline(_ progress: RunProgress, now: ContinuousClock.Instant) -> String {
        let seconds = max(0.001, (now - started).seconds)
        let rate = Double(progress.done) / seconds
        let left = rate > 0 ? Double(progress.planned - progress.done) / rate : 0
        let eta = progress.done > 0 ? ", about \(Heartbeat.clock(left)) left" : ""
        let bad = progress.bad > 0 ? ", \(progress.bad) not as expected" : ""
        let reached = progress.reached > 0 ? ", \(progress.reached) more begun" : ""
        return "\(progress.done)/\(progress.planned) tests\(reached)\(bad), "
            + "\(Self.oneDecimal(rate))/s, \(progress.workers) workers\(eta)"
    }

    private func row(_ cell: CellProgress) -> String {
        let width = 20
        let share = cell.planned == 0 ? 0 : width * cell.done / cell.planned
        let begun =
            cell.planned == 0 ? 0 : width * (cell.done + (cell.reached ?? 0)) / cell.planned
        let bar =
            String(repeating: "█", count: share) + String(repeating: "▒", count: begun - share)
            + String(repeating: "░", count: width - begun)
        let bad = cell.bad > 0 ? "  \(cell.bad) not as expected" : ""
        return "  \(bar) \(cell.done)/\(cell.planned)  \(cell.job) \(cell.cell)\(bad)"
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }
}
