// Short answers as lines for a terminal. They say what the JSON says, and no more.
import FarmCore

extension RunBrief {
    /// The answer as lines; the first one is the verdict.
    package var lines: [String] {
        let facts = [
            "run \(run.id) of \(run.pipeline)", run.part, run.branch.map { "branch \($0)" },
            run.commit.map { "commit \($0.prefix(12))" },
        ]
        var lines = [says, facts.compactMap(\.self).joined(separator: ", ")]
        for record in records { lines += [""] + record.lines }
        return lines + BriefText.rest(next)
    }
}

extension RunBrief.Record {
    fileprivate var lines: [String] {
        let verdict = kind == .cause ? nil : self.verdict?.rawValue
        let head = [kind.rawValue, id, verdict].compactMap(\.self).joined(separator: " ")
        let extent = [
            title, cells, pictures.map { $0 == 1 ? "1 picture" : "\($0) pictures" },
            screens.map { $0 == 1 ? "1 screen" : "\($0) screens" },
            tests.map { $0 == 1 ? "1 test" : "\($0) tests" },
        ].compactMap(\.self).joined(separator: ", ")
        let details = [extent] + (elements ?? []) + [remedy ?? "", decided ?? ""]
        return ["\(head): \(words)"] + details.filter { !$0.isEmpty }.map { "  " + $0 }
    }
}

extension ChangeBrief {
    /// The answer as lines; the first one is the cause.
    package var lines: [String] {
        let head = [
            "\(kind.rawValue) \(id) of run \(run)", cells,
        ].compactMap(\.self).joined(separator: ", ")
        var lines = [says, head]
        lines += (causes ?? []).map { "cause \($0.id): \($0.words)" }
        lines += (elements ?? []) + [decided].compactMap(\.self)
        lines += (comments ?? []).map { "said: \($0)" }
        for record in records { lines += [""] + record.lines }
        if let baseline {
            lines += ["", "The reference of the first picture"] + baseline.map { "  " + $0 }
        }
        return lines + BriefText.rest(next)
    }
}

extension ChangeBrief.Record {
    fileprivate var lines: [String] {
        let verdict = verdict.map { " \($0.rawValue)" } ?? ""
        let files = (files ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        let texts = [hunks, message, output].compactMap(\.self).flatMap {
            $0.split(separator: "\n").map { LegalText.code(String($0)) }
        }
        let place = message == nil && output == nil ? id : "\(id) on \(cell)"
        let details = [words == place ? "" : words, decided ?? ""].filter { !$0.isEmpty }
        return ["\(place)\(verdict)"] + (details + files + texts).map { "  " + $0 }
    }
}

extension BriefText {
    /// Returns the lines of what to do next, after an empty one; none if there is nothing to do.
    fileprivate static func rest(_ next: [NextStep]) -> [String] {
        let width = next.map(\.command.count).max() ?? 0
        let lines = next.map { step in
            let gap = String(repeating: " ", count: width - step.command.count)
            return "  \(step.command)\(gap)  # \(step.why)"
        }
        return lines.isEmpty ? [] : ["", "Next"] + lines
    }
}
