// The report of `snapfarm doctor`: the verdict first, then the line of each check, with its remedy
// below it.

import FarmCore

/// The results of the checks of `snapfarm doctor`.
package struct HealthReport: Hashable, Sendable {
    /// The subject of the checks.
    package enum Subject: Hashable, Sendable {
        /// The machine alone: there is no pipeline file.
        case machine
        case pipeline
    }

    package let subject: Subject
    /// The lines of the report, in the order of the checks.
    package let lines: [HealthLine]

    package init(of subject: Subject, _ lines: [HealthLine]) {
        self.subject = subject
        self.lines = lines
    }

    private func lines(_ level: HealthLine.Level) -> [HealthLine] {
        lines.filter { $0.level == level }
    }

    /// The exit code of the first failed check, or `passed` if none failed; warnings do not count.
    package var exit: ExitCode { lines(.failure).first?.exit ?? .passed }

    /// The verdict of all checks, as a sentence.
    package var verdict: String {
        let (failures, warnings) = (lines(.failure).count, lines(.warning).count)
        let warned = warnings == 0 ? "" : warnings == 1 ? "1 warning" : "\(warnings) warnings"
        guard failures > 0 else {
            let fine =
                switch subject {
                case .machine: "ok: this machine lacks nothing; a pipeline file comes next"
                case .pipeline: "ok: nothing that a run needs is missing"
                }
            return fine + (warned.isEmpty ? "." : "; \(warned).")
        }
        return "FAIL: \(failures) of \(lines.count) checks failed"
            + (warned.isEmpty ? "." : ", and \(warned).")
    }

    /// Returns the verdict and all lines as text; with `isQuiet`, only the lines of failures.
    package func text(isQuiet: Bool) -> String {
        let shown = isQuiet ? lines(.failure) : lines
        let width = shown.map(\.subject.count).max() ?? 0
        let indent = String(repeating: " ", count: 6 + width + 2)
        var text = [verdict]
        for line in shown {
            let subject =
                line.subject + String(repeating: " ", count: width - line.subject.count)
            let head = Self.word(line.level) + "  " + subject + "  "
            text.append(head + Self.indented(line.fact, by: indent))
            if !line.remedy.isEmpty { text.append(indent + Self.indented(line.remedy, by: indent)) }
        }
        return text.map { $0 + "\n" }.joined()
    }

    private static func word(_ level: HealthLine.Level) -> String {
        switch level {
        case .ok: "ok  "
        case .warning: "warn"
        case .failure: "FAIL"
        }
    }

    private static func indented(_ text: String, by indent: String) -> String {
        text.split(whereSeparator: \.isNewline).joined(separator: "\n" + indent)
    }
}

extension HealthReport: Encodable {
    private enum CodingKeys: String, CodingKey {
        case schemaVersion
        case verdict
        case exitCode
        case checks
    }

    private struct Row: Encodable {
        let subject: String
        let level: HealthLine.Level
        let fact: String
        let remedy: String
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(1, forKey: .schemaVersion)
        try container.encode(verdict, forKey: .verdict)
        try container.encode(exit.rawValue, forKey: .exitCode)
        try container.encode(
            lines.map {
                Row(subject: $0.subject, level: $0.level, fact: $0.fact, remedy: $0.remedy)
            },
            forKey: .checks
        )
    }
}
