// The words of a run about a test case; the numbers are those of `TestSummary`.
import Foundation

extension TestEvidence {
    func verdict(raised: [TestKey: Verdict]) -> Verdict? {
        raised.isEmpty ? verdict : raised[key] ?? verdict
    }

    /// The message about the test case for people; empty for a pass.
    ///
    /// `log` is the path of the log of its last lease.
    func message(log: String?) -> String {
        var parts: [String] = []
        switch report?.ending {
        case .failed(let text), .changed(let text), .skipped(let text): parts.append(text)
        case .new(let text): parts += [Verdict.newWords, text]
        case .errored(let problem):
            let words = problem.isCrash ? lastWords : nil
            if let words, words.saysWhy { parts.append(words.line) }
            parts.append("\(problem.message) \(problem.remedy)")
            if let words, !words.saysWhy { parts.append("It printed last: \(words.line)") }
            if let log { parts.append("Log: \(log)") }
        case .passed, nil: break
        }
        for capture in report?.pictures.captures ?? [] {
            if let problem = capture.problem {
                parts.append("\(capture.capture.id): \(problem.message) \(problem.remedy)")
            }
        }
        if !note.isEmpty { parts.append(note) }
        if let load = report?.load, load.isOverloaded, let verdict, AttemptRules.isFailure(verdict)
        {
            parts.append(load.remark)
        }
        return parts.joined(separator: "\n")
    }

    /// The last words of a crashed process: the line of its output that names the cause, or else
    /// its last line; `nil` if it printed nothing.
    private var lastWords: (line: String, saysWhy: Bool)? {
        let lines = (report?.output ?? "").split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }.filter { !$0.isEmpty }
        let cause = lines.last { CrashWords.areIn($0) }
        return (cause ?? lines.last).map {
            (line: String($0.prefix(Self.lastWordsMax)), saysWhy: cause != nil)
        }
    }

    /// The most characters of such a line in a message.
    private static let lastWordsMax = 500

    /// Whether the test came to its own end, with any result.
    package var ranToItsEnd: Bool {
        switch report?.ending {
        case .passed, .failed, .changed, .new, .skipped: true
        case .errored, nil: false
        }
    }

    package var skipped: Bool {
        if case .skipped = report?.ending { true } else { false }
    }
}

extension Problem {
    /// Whether the problem is that a process ended before its test did.
    fileprivate var isCrash: Bool {
        ["test-crashed", "exit-unexplained", "results-missing", "test-not-reported"].contains(code)
    }
}
