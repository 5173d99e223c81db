// The short names of pictures within their suites: the framework's identifier, or the name without
// device, size and scale (`PictureTitle`). The counter that pointfreeco's framework appends to the
// name of every test (`testEmpty.1`) is left out, unless two pictures differ only by it.

/// The short names of a run's pictures.
struct PictureNames: Sendable {
    /// The short names by picture id, only of pictures whose short name is not `identifierOrName`.
    private let others: [String: String]

    init(_ pictures: [SnapshotSummary], suites: SuiteTitles) {
        let counters = Self.counters(pictures)
        var named = pictures.map { picture in
            Named(
                picture: picture,
                suite: suites.title(of: picture.suite),
                isAlone: Self.isAlone(picture, counters)
            )
        }
        while Self.lengthen(&named) {}
        let pairs = named.lazy.filter { $0.title != $0.picture.identifierOrName }
            .map { ($0.picture.id, $0.title) }
        others = Dictionary(pairs) { first, _ in first }
    }

    func name(of picture: SnapshotSummary) -> String {
        others[picture.id] ?? picture.identifierOrName
    }

    // MARK: alike on one cell

    private struct Named {
        let picture: SnapshotSummary
        /// The title of the picture's suite.
        let suite: String
        /// The possible short names, from the shortest to the picture's own name, which is unique
        /// in its suite and cell.
        let forms: [String]
        var level = 0
        var title: String { forms[level] }
        var whole: String { "\(suite)/\(title)" }

        init(picture: SnapshotSummary, suite: String, isAlone: Bool) {
            self.picture = picture
            self.suite = suite
            let called = picture.identifierOrName
            let short = isAlone ? PictureNames.counted(called)?.base : nil
            forms = [short, called, picture.name].compactMap(\.self)
        }
    }

    private struct Place: Hashable {
        let cell: String
        let title: String
    }

    /// Lengthens names that two pictures of one cell share, also on all other cells; returns
    /// whether any became longer.
    private static func lengthen(_ named: inout [Named]) -> Bool {
        var seen: Set<Place> = []
        var alike: Set<String> = []
        for item in named {
            let place = Place(cell: item.picture.cell, title: item.whole)
            if !seen.insert(place).inserted { alike.insert(place.title) }
        }
        guard !alike.isEmpty else { return false }
        var isLonger = false
        for index in named.indices where alike.contains(named[index].whole) {
            guard named[index].level + 1 < named[index].forms.count else { continue }
            named[index].level += 1
            isLonger = true
        }
        return isLonger
    }

    // MARK: counters

    private struct Screen: Hashable {
        let suite: String
        let name: String
    }

    /// Returns the counters that follow each name (`12` in `testEmpty.12`), by suite and name.
    private static func counters(_ pictures: [SnapshotSummary]) -> [Screen: Set<Substring>] {
        var found: [Screen: Set<Substring>] = [:]
        for picture in pictures {
            guard let counted = counted(picture.identifierOrName) else { continue }
            let screen = Screen(suite: picture.suite, name: counted.base)
            found[screen, default: []].insert(counted.number)
        }
        return found
    }

    /// Whether the counter of the picture's name is needless: it is the test's first, and there is
    /// no second.
    private static func isAlone(
        _ picture: SnapshotSummary,
        _ counters: [Screen: Set<Substring>]
    ) -> Bool {
        guard let counted = counted(picture.identifierOrName), counted.number == "1" else {
            return false
        }
        let method = RunTitles.parts(picture.test)?.name.prefix { $0 != "(" }
        // A version is not a counter: the framework appends the counter to the name of a test.
        guard method.map({ $0 == counted.base }) ?? counted.base.hasPrefix("test") else {
            return false
        }
        return counters[Screen(suite: picture.suite, name: counted.base)] == ["1"]
    }

    /// Returns a name's two parts, `testEmpty` and `12` of `testEmpty.12`, or `nil` if it has no
    /// counter.
    private static func counted(_ name: String) -> (base: String, number: Substring)? {
        guard let point = name.lastIndex(of: "."), point != name.startIndex else { return nil }
        let number = name[name.index(after: point)...]
        guard !number.isEmpty, number.utf8.allSatisfy({ (48...57).contains($0) }) else {
            return nil
        }
        return (String(name[..<point]), number)
    }
}

extension SnapshotSummary {
    /// The framework's identifier of the picture, or else its name.
    package var identifierOrName: String { identifier.isEmpty ? name : identifier }
}
