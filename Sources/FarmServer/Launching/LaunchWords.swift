// The notes on a run about workers on demand: that workers were started, or why none were.
import FarmCore
import FarmLedger

/// A launcher's most recent failure.
package struct LaunchFailure: Hashable, Sendable {
    /// The reason of the failure, as a sentence.
    package var reason: String
    /// The time of the failure, in milliseconds since 1970.
    package var at: Int64

    package init(reason: String, at: Int64) {
        self.reason = reason
        self.at = at
    }
}

extension Problem {
    package static let workersComingCode = "workers-coming"
    package static let launcherFailedCode = "launcher-failed"
    package static let launcherFullCode = "launcher-full"
    package static let noLauncherCode = "launcher-unfitting"

    /// Whether this problem is a note about workers that a launcher starts.
    package var isOfLauncher: Bool {
        [
            Self.workersComingCode, Self.launcherFailedCode, Self.launcherFullCode,
            Self.noLauncherCode,
        ].contains(code)
    }
}

package enum LaunchWords {
    /// Returns the notes on each run with waiting test cases; no note on a run if workers lease
    /// them all.
    package static func notes(
        work: [OpenWork],
        called: [CalledWorker],
        launchers: [LauncherState],
        failures: [LaunchFailure?],
        now: Int64
    ) -> [RunID: [Problem]] {
        let known = Dictionary(called.map { ($0.id, $0) }) { first, _ in first }
        let coming = launchers.map { state in
            state.workers.filter {
                LaunchRules.phase(
                    of: $0,
                    known[$0.name.worker],
                    startSeconds: state.settings.startSeconds,
                    now: now
                ) == .coming
            }.map(\.name.second)
        }
        var notes: [RunID: [Problem]] = [:]
        for item in work where item.waiting > 0 {
            let fitting = launchers.indices.filter {
                OfferMatch.fits(item.needs, launchers[$0].offer)
            }
            let announced = fitting.compactMap { place -> Problem? in
                .coming(item, launchers[place], coming[place], now: now)
            }
            notes[item.run, default: []] += announced
            guard announced.isEmpty, item.leases == 0 else { continue }
            if fitting.isEmpty {
                // If a worker is live, the cell's own reason names the needs that the worker lacks.
                if !called.contains(where: \.isLive) {
                    notes[item.run, default: []].append(.noLauncher(item))
                }
                continue
            }
            notes[item.run, default: []] += fitting.compactMap { place in
                failures[place].map { .failed(item, launchers[place], $0, now: now) }
                    ?? .full(item, launchers[place])
            }
        }
        return notes
    }

    /// Returns a duration in words, such as `40 s`, `3 min` or `2 h`.
    package static func time(_ seconds: Int64) -> String {
        let seconds = max(0, seconds)
        if seconds < 120 { return "\(seconds) s" }
        return seconds < 7200 ? "\(seconds / 60) min" : "\(seconds / 3600) h"
    }
}

extension OpenWork {
    /// The job and the cell of the work, such as `pages on chromium-120`.
    fileprivate var words: String { "\(cell.job) on \(cell.cell)" }
}

extension Problem {
    fileprivate static func coming(
        _ work: OpenWork,
        _ state: LauncherState,
        _ seconds: [Int64],
        now: Int64
    ) -> Problem? {
        guard let first = seconds.min() else { return nil }
        let count = seconds.count
        let ago = LaunchWords.time(now / 1000 - first)
        let verb = count == 1 ? "was" : "were"
        let which = count == 1 || seconds.max() == first ? "" : "the first "
        return Problem(
            code: workersComingCode,
            message: "\(work.words) waits for a worker: \(count) \(verb) started "
                + "\(which)\(ago) ago by the launcher \(state.settings.name).",
            remedy: "One that has not called after "
                + "\(LaunchWords.time(Int64(state.settings.startSeconds))) is given up.",
            about: work.words
        )
    }

    fileprivate static func failed(
        _ work: OpenWork,
        _ state: LauncherState,
        _ failure: LaunchFailure,
        now: Int64
    ) -> Problem {
        let wait = (state.pausedUntil - now + 999) / 1000
        return Problem(
            code: launcherFailedCode,
            message: "\(work.words) waits for a worker: the launcher \(state.settings.name) gave "
                + "up \(LaunchWords.time((now - failure.at) / 1000)) ago: \(failure.reason)",
            remedy: wait > 0
                ? "It tries again in \(LaunchWords.time(wait))." : "It tries again now.",
            about: work.words
        )
    }

    fileprivate static func full(_ work: OpenWork, _ state: LauncherState) -> Problem? {
        let count = state.workers.count { $0.listing != .gone }
        guard count >= state.settings.max else { return nil }
        return Problem(
            code: launcherFullCode,
            message: "\(work.words) waits for a worker: the launcher \(state.settings.name) has "
                + "its \(state.settings.max).",
            remedy: "Raise its max in the coordinator's configuration, or wait.",
            about: work.words
        )
    }

    fileprivate static func noLauncher(_ work: OpenWork) -> Problem {
        Problem(
            code: noLauncherCode,
            message: "\(work.words) waits for a worker, and no launcher's workers have "
                + "\(work.needs.words).",
            remedy: "Add a launcher that offers it to the coordinator's configuration, or start "
                + "such a worker.",
            about: work.words
        )
    }
}
