// The cells of a finding in one line: `24 cells: 6 devices × light/dark × ja/en` if the cells are
// all combinations of their values, or else the names of the first ones.

/// The words for cells of one run, and the order of the cells in the matrix.
package struct CellWords: Sendable {
    /// The most cells that a line names.
    private static let namesMax = 3
    /// The most values of an axis that a line names; more are only counted.
    private static let valuesMax = 3

    private let cells: [String: CellSummary]
    private let places: [String: Int]
    /// The number of devices in the whole matrix; `valueCounts` has that of each axis' values.
    private let deviceCount: Int
    private let valueCounts: [String: Int]

    package init(_ matrix: [CellSummary]) {
        cells = Dictionary(matrix.map { ($0.id, $0) }) { first, _ in first }
        places = Dictionary(matrix.enumerated().map { ($1.id, $0) }) { first, _ in first }
        deviceCount = Set(matrix.map(\.deviceTitle)).count
        let axes = Set(matrix.flatMap(\.variant.keys))
        let counts = axes.map { axis in (axis, Set(matrix.map { $0.variant[axis] }).count) }
        valueCounts = Dictionary(uniqueKeysWithValues: counts)
    }

    /// Whether the cell `left` comes before the cell `right` in the matrix; unknown cells come
    /// last, by their bytes.
    package func precedes(_ left: String, _ right: String) -> Bool {
        switch (places[left], places[right]) {
        case (let left?, let right?): left < right
        case (_?, nil): true
        case (nil, _?): false
        case (nil, nil): left.utf8.lexicographicallyPrecedes(right.utf8)
        }
    }

    /// Returns words for cells, given by their ids; a repeated id counts once.
    package func words(_ ids: [String]) -> String {
        var seen: Set<String> = []
        let ids = ids.filter { seen.insert($0).inserted }
        let count = ids.count == 1 ? "" : "\(ids.count) cells: "
        let known = ids.compactMap { cells[$0] }
        if ids.count > 1, known.count == ids.count, let product = product(of: known) {
            return count + product
        }
        let names = ids.prefix(Self.namesMax).map { cells[$0]?.title ?? $0 }
        return count + names.joined(separator: ", ") + (ids.count > Self.namesMax ? ", …" : "")
    }

    /// Returns the values that the cells combine, such as `6 devices × light/dark`, or `nil` unless
    /// the cells are all combinations of them.
    private func product(of cells: [CellSummary]) -> String? {
        guard cells.allSatisfy({ !$0.device.isEmpty || !$0.variant.isEmpty }) else { return nil }
        let devices = Self.distinct(cells.map(\.deviceTitle))
        var combinations = devices.count
        var many: [String] = []
        var single: [String] = []
        if devices.count > 1 {
            many.append("\(devices.count) devices")
        } else if deviceCount > 1 {
            single += devices.filter { !$0.isEmpty }
        }
        for axis in Set(cells.flatMap(\.variant.keys)).sorted() {
            let values = Self.distinct(cells.map { $0.variant[axis] ?? "" })
            combinations *= values.count
            if values.count > Self.valuesMax {
                many.append("\(values.count) values of \(axis)")
            } else if values.count > 1 {
                many.append(values.joined(separator: "/"))
            } else if valueCounts[axis, default: 1] > 1 {
                single += values.filter { !$0.isEmpty }
            }
        }
        guard combinations == cells.count else { return nil }
        return ([many.joined(separator: " × ")] + single).joined(separator: ", ")
    }

    private static func distinct(_ values: [String]) -> [String] {
        var seen: Set<String> = []
        return values.filter { seen.insert($0).inserted }
    }
}

extension CellSummary {
    /// The device with its OS, such as `iPhone 8 (13.1)`; empty without a device.
    fileprivate var deviceTitle: String { device + (os.isEmpty ? "" : " (\(os))") }
}
