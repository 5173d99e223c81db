// Which runs are being ended now, by whom and for how long. A judgement may hang in a store that does
// not answer: it is named then, keeps no place of others, and a cancel takes the run over from it.
import FarmCore
import FarmLedger

/// Runs that somebody is judging and closing.
struct RunEndings {
    /// Says who ends a run: the ticket that was given last.
    struct Ticket: Equatable {
        fileprivate var number: Int
    }
    private struct Ending {
        var ticket: Ticket
        var began: Milliseconds
    }
    private var endings: [RunID: Ending] = [:]
    private var tickets = 0

    /// Nil where somebody else ends the run already; a cancel takes it over.
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

    /// Whether nobody has taken the run over.
    func holds(_ run: RunID, _ ticket: Ticket) -> Bool { endings[run]?.ticket == ticket }

    func isEnding(_ run: RunID) -> Bool { endings[run] != nil }

    /// Those that take so long that they may never end.
    func hanging(now: Milliseconds) -> Set<RunID> {
        let patience = Int64(FarmLimits.judgeSecondsMax * 1000)
        return Set(endings.filter { now - $0.value.began >= patience }.keys)
    }

    /// How many more may begin.
    func room(now: Milliseconds) -> Int {
        FarmLimits.judgementsAtOnce - (endings.count - hanging(now: now).count)
    }
}

extension Problem {
    /// Said of a run that has ended and whose judgement does not.
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
