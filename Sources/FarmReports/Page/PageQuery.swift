// The part of a run that a host's page shows, as the page's address names it: the filter, and the
// first change. The host filters, because a page holds some hundred changes, and a run may have
// thousands.
import FarmCore
import Foundation

/// The filter of a host's page, and the first change that the page shows.
package struct PageQuery: Hashable, Sendable {
    /// The id of the only change that the page shows, or `nil` for all changes.
    private(set) var change: String?
    /// The keys of the verdicts that pass the filter, or empty for all; `decisions` has those of
    /// decisions.
    private var verdicts: Set<String> = []
    private var decisions: Set<String> = []
    /// The id of the only cell that passes the filter, or empty for all; `suite` and `typed` are
    /// further parts of the filter.
    private(set) var cell = ""
    private(set) var suite = ""
    private(set) var typed = ""
    /// The number of changes before the first one that the page shows.
    private(set) var from = 0

    package init() {}

    /// Reads the fields of an address or a form, and ignores those that our pages do not send.
    package init(_ fields: [(name: String, value: String)]) {
        for (name, value) in fields where !value.isEmpty {
            switch name {
            case "change": change = value
            case "v": verdicts.insert(value)
            case "d": decisions.insert(value)
            case "cell": cell = value
            case "suite": suite = value
            case "text": typed = value
            case "from": from = max(0, Int(value) ?? 0)
            default: break
            }
        }
    }

    /// Returns the same filter with another first change: that with `from` changes before it.
    func starting(at from: Int) -> PageQuery {
        var other = self
        other.from = from
        return other
    }

    var isFiltered: Bool {
        !verdicts.isEmpty || !decisions.isEmpty || ![cell, suite, typed].allSatisfy(\.isEmpty)
    }

    func asks(for verdict: Verdict?) -> Bool { verdicts.contains(PagePart.key(verdict)) }

    func asks(for decision: PageDecision) -> Bool { decisions.contains(decision.rawValue) }

    /// The query as text after an address's `?`; equal queries have equal texts.
    package var text: String {
        var fields = verdicts.sorted().map { ("v", $0) } + decisions.sorted().map { ("d", $0) }
        fields += [
            ("change", change ?? ""), ("cell", cell), ("suite", suite), ("text", typed),
            ("from", from == 0 ? "" : String(from)),
        ]
        return fields.filter { !$0.1.isEmpty }
            .map {
                "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: Self.plain) ?? "")"
            }
            .joined(separator: "&")
    }

    private static let plain = CharacterSet(
        charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._"
    )
}

extension PageQuery {
    /// Returns the run's changes that pass the filter, in the order of the page.
    func changes(of run: PageRun, _ book: DecisionBook) -> [PageChange] {
        if let change { return run.changes.filter { $0.id == change } }
        guard isFiltered else { return run.changes }
        let words = Self.words(typed)
        return run.changes.filter { one in
            (verdicts.isEmpty || asks(for: one.first.verdict))
                && (suite.isEmpty || one.first.suite == suite)
                && (cell.isEmpty || one.pictures.contains { $0.cell == cell })
                && (decisions.isEmpty
                    || !one.decidable.isEmpty && asks(for: one.standing(book).state))
                && (words.isEmpty || Self.holds(words, one.searched(run)))
        }
    }

    /// Returns the failed tests that pass the filter; tests have no suite and no decision.
    func tests(of run: PageRun) -> [TestSummary] {
        guard change == nil, suite.isEmpty, decisions.isEmpty else { return [] }
        let words = Self.words(typed)
        return run.words.listed.filter { test in
            (verdicts.isEmpty || asks(for: test.verdict)) && (cell.isEmpty || test.cell == cell)
                && (words.isEmpty
                    || Self.holds(
                        words,
                        [
                            run.findings.titles.title(of: test), test.test, test.job,
                            run.cells.title(test.cell), test.message, test.output,
                        ]
                    ))
        }
    }

    private static func words(_ text: String) -> [String] {
        text.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
    }

    private static func holds(_ words: [String], _ texts: [String]) -> Bool {
        let text = texts.joined(separator: "\n").lowercased()
        return words.allSatisfy { text.utf8.firstRange(of: $0.utf8) != nil }
    }
}

extension PageChange {
    /// Returns the texts of a change in which a typed filter is searched.
    fileprivate func searched(_ run: PageRun) -> [String] {
        let titles = run.findings.titles
        return [
            titles.name(of: first), titles.suite(first.suite), first.name, first.test, words, place,
        ] + pictures.map { run.cells.title($0.cell) }
    }
}
