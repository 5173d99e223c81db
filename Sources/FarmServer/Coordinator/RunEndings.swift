// The runs that are being ended now, since when and by which task. A judgement may hang in a store
// that does not answer. It is then reported, takes no place from other runs, and a cancel takes the
// run over.
import FarmCore
import FarmLedger

/// The runs that tasks are judging and closing.
struct RunEndings {
    /// The right of a task to end a run; the task with the run's newest ticket has it.
    struct Ticket: Equatable {
        fileprivate var number: Int
    }
    private struct Ending {
        var ticket: Ticket
        var began: Milliseconds
    }
    private var endings: [RunID: Ending] = [:]
    private var tickets = 0

    /// Returns a ticket to end a run, or `nil` if another task ends it already.
    ///
    /// A cancel takes the run over.
    mutating func begin(_ run: RunID, cancels: Bool, now: Milliseconds) -> Ticket? {
        guard cancels || endings[run] == nil else { return nil }
        tickets += 1
        let ticket = Ticket(number: tickets)
        endings[run] = Ending(ticket: ticket, began: endings[run]?.began ?? now)
        return ticket
    }

    mutating func end(_ run: RunID, _ ticket: Ticket) {
        if holds(run, ticket) { endings[run] = nil }
    }

    /// Returns whether the task with a ticket still ends the run: no other task has taken the run
    /// over.
    func holds(_ run: RunID, _ ticket: Ticket) -> Bool { endings[run]?.ticket == ticket }

    func isEnding(_ run: RunID) -> Bool { endings[run] != nil }

    /// Returns the runs whose judgement takes so long that it may never end.
    func hanging(now: Milliseconds) -> Set<RunID> {
        let patience = Int64(FarmLimits.judgeSecondsMax * 1000)
        return Set(endings.filter { now - $0.value.began >= patience }.keys)
    }

    /// Returns the number of further judgements that may begin now.
    func room(now: Milliseconds) -> Int {
        FarmLimits.judgementsAtOnce - (endings.count - hanging(now: now).count)
    }
}

extension Problem {
    /// The problem of a run that has ended and whose judgement does not end.
    static func judgementHangs(_ run: RunID) -> Problem {
        Problem(
            code: notJudgedCode,
            message: "run \(run) has ended, and its judgement takes longer than "
                + "\(Int(FarmLimits.judgeSecondsMax)) seconds.",
            remedy: CoordinatorError.judgementHangs.remedy
                + " `snapfarm cancel \(run)` ends the run without a judgement."
        )
    }
}
