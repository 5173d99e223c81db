// The progress of a comparison: one moving line on a terminal, elsewhere a heartbeat, because CIs
// kill silent programs.
import FarmCore
import Foundation

/// Shows the progress of a comparison on standard error.
struct CompareProgress {
    private static let barWidth = 20
    private static let redrawSeconds = 0.1

    private let isLive: Bool
    private let isQuiet: Bool
    private let started: ContinuousClock.Instant
    private var spoke: ContinuousClock.Instant
    private var block = LiveBlock()

    init(isLive: Bool, isQuiet: Bool, now: ContinuousClock.Instant) {
        self.isLive = isLive
        self.isQuiet = isQuiet
        started = now
        spoke = now
    }

    /// Shows the totals of the pairs compared so far, at most once per interval.
    ///
    /// `share` is the finished part, 0...1, or `nil` if the total is unknown.
    mutating func show(_ totals: CompareTotals, share: Double?, now: ContinuousClock.Instant) {
        guard !isQuiet else { return }
        let pause = isLive ? Self.redrawSeconds : Heartbeat.seconds
        guard now - spoke >= .seconds(pause) else { return }
        spoke = now
        let line = line(totals, share: share, seconds: (now - started).seconds)
        if isLive { block.draw([line]) } else { Console.say(line) }
    }

    /// Removes the live line from the terminal, before other output is printed.
    mutating func clear() { block.clear() }

    private func line(_ totals: CompareTotals, share: Double?, seconds: Double) -> String {
        let verb = totals.bad == 1 ? "does" : "do"
        let bad = totals.bad > 0 ? ", \(totals.bad.grouped) \(verb) not match" : ""
        let rate = Int(Double(totals.pairs) / max(0.001, seconds))
        let words = "\(totals.pairs.grouped) pairs compared\(bad), \(rate.grouped)/s"
        guard let share, share > 0 else { return words }
        let left = ", about \(Heartbeat.clock(seconds / share * (1 - share))) left"
        let full = min(Self.barWidth, Int(share * Double(Self.barWidth)))
        let bar =
            String(repeating: "█", count: full)
            + String(repeating: "░", count: Self.barWidth - full)
        return (isLive ? bar + " " : "") + "\(Int(share * 100)) %  " + words + left
    }
}
