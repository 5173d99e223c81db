// The titles of a run's tests, pictures and cells for people: `Cart/testEmpty` for `App.CartTests`
// and `testEmpty.1@2x`. No other code makes titles from ids. summary.json, the names in JUnit and
// arguments of commands keep the ids.
//
// Invariants
//   - On one cell no two pictures have one title, and no two tests of a job.
//   - A title depends only on the ids of the run.

/// The titles of one run's tests, pictures and cells for people.
package struct RunTitles: Sendable {
    private let pictureSuites: SuiteTitles
    private let testSuites: SuiteTitles
    private let names: PictureNames
    private let cells: [String: String]
    private let manyCelled: Set<String>

    package init(_ summary: RunSummary) {
        let suites = SuiteTitles(Set(summary.snapshots.lazy.map(\.suite)))
        pictureSuites = suites
        testSuites = SuiteTitles(
            Set(summary.tests.lazy.compactMap { Self.parts($0.test)?.suite })
        )
        names = PictureNames(summary.snapshots, suites: suites)
        cells = Dictionary(summary.cells.map { ($0.id, $0.title) }) { first, _ in first }
        manyCelled = Self.manyCelled(summary)
    }

    /// Returns the title of a suite of pictures.
    package func suite(_ suite: String) -> String { pictureSuites.title(of: suite) }

    /// Returns a picture's title within its suite: `testEmpty`.
    package func name(of picture: SnapshotSummary) -> String { names.name(of: picture) }

    /// Returns a picture's title with its suite: `Cart/testEmpty`.
    package func title(of picture: SnapshotSummary) -> String {
        "\(suite(picture.suite))/\(name(of: picture))"
    }

    /// Returns a test's title with its suite: `Cart/testEmpty`.
    package func title(of test: TestSummary) -> String {
        guard let parts = Self.parts(test.test) else { return test.test }
        return "\(testSuites.title(of: parts.suite))/\(parts.name)"
    }

    /// Returns a cell's title, `iPhone 8 (13.1) dark · ja`, or the id of an unknown cell.
    package func cell(_ id: String) -> String { cells[id] ?? id }

    /// Whether the job runs on only one cell, so that the cell's name can be left out.
    package func hasOneCell(job: String) -> Bool { !manyCelled.contains(job) }

    /// Returns the two parts of a test's id, `Target/Class` and `method`, or `nil` if it has no
    /// class.
    static func parts(_ test: String) -> (suite: String, name: Substring)? {
        guard let slash = test.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let name = test[test.utf8.index(after: slash)...]
        guard slash != test.startIndex, !name.isEmpty else { return nil }
        return (String(test[..<slash]), name)
    }

    /// Returns the method's name of a test: `testEmpty` of `App.CartTests/testEmpty()`.
    static func method(of test: TestSummary) -> Substring {
        (parts(test.test)?.name ?? test.test[...]).prefix { $0 != "(" }
    }

    private static func manyCelled(_ summary: RunSummary) -> Set<String> {
        var first: [String: String] = [:]
        var many: Set<String> = []
        func note(_ job: String, _ cell: String) {
            if let known = first[job] {
                if known != cell { many.insert(job) }
            } else {
                first[job] = cell
            }
        }
        for test in summary.tests { note(test.job, test.cell) }
        for picture in summary.snapshots { note(picture.job, picture.cell) }
        return many
    }
}

// MARK: several at once

extension RunTitles {
    /// The most titles that a line names.
    private static let namesMax = 3

    private struct Item {
        let title: String
        let job: String
        let cell: String
    }

    /// Returns the name of several tests: `Cart/testEmpty on iPhone 8`,
    /// `Cart/testEmpty on 12 cells: iPhone 8, …`, or `15 tests: Cart/testEmpty on 12 cells,
    /// Cart/testFull on iPhone 8, …`.
    package func name(of tests: [TestSummary]) -> String {
        name(
            of: tests.map { Item(title: title(of: $0), job: $0.job, cell: $0.cell) },
            "\(tests.count) tests"
        )
    }

    /// Returns the name of several pictures: their titles and cells, in the same form as for tests.
    package func name(of pictures: [SnapshotSummary]) -> String {
        name(
            of: pictures.map { Item(title: title(of: $0), job: $0.job, cell: $0.cell) },
            SnapshotCount(pictures).words
        )
    }

    /// Returns the picture's title with its cell, or without it if the job has only one cell.
    package func place(of picture: SnapshotSummary) -> String { name(of: [picture]) }

    private func name(of items: [Item], _ count: String) -> String {
        var order: [String] = []
        var alike: [String: [Item]] = [:]
        for item in items {
            if alike[item.title] == nil { order.append(item.title) }
            alike[item.title, default: []].append(item)
        }
        if let only = order.first, order.count == 1, cells(of: items).count == items.count {
            return only + on(items, listed: true)
        }
        let shown = order.prefix(Self.namesMax).map { $0 + on(alike[$0] ?? [], listed: false) }
        let rest = order.count > Self.namesMax ? ", …" : ""
        return "\(count): \(shown.joined(separator: ", "))\(rest)"
    }

    /// Returns the cells of tests or pictures in words: ` on iPhone 8`, or ` on 12 cells` (with the
    /// first cells if `listed`); empty for the only cell of a job.
    private func on(_ items: [Item], listed: Bool) -> String {
        let ids = cells(of: items)
        guard let first = ids.first else { return "" }
        if ids.count == 1 {
            return items.allSatisfy { hasOneCell(job: $0.job) } ? "" : " on \(cell(first))"
        }
        let names = ids.prefix(Self.namesMax).map(cell).joined(separator: ", ")
        let rest = ids.count > Self.namesMax ? ", …" : ""
        return " on \(ids.count) cells" + (listed ? ": \(names)\(rest)" : "")
    }

    private func cells(of items: [Item]) -> [String] {
        var seen: Set<String> = []
        return items.map(\.cell).filter { seen.insert($0).inserted }
    }
}

extension CellSummary {
    /// The cell's title: `iPhone 8 (13.1) dark · ja`, or the id if it has no device.
    package var title: String {
        (device.isEmpty ? id : device) + (os.isEmpty ? "" : " (\(os))")
            + (variant.isEmpty ? "" : " \(variantWords)")
    }

    /// The cell's values of the variant axes, in the order of the axes' names: `dark · ja`.
    package var variantWords: String {
        variant.sorted { $0.key < $1.key }.map(\.value).joined(separator: " · ")
    }
}
