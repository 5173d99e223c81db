// The rules of succession, for devices and OS versions that replace others. A picture without a
// reference is compared with its predecessor's: the same screen on the device that its device
// succeeds, under the old name. The rules only propose names. A name without a reference has no
// effect, and a reference with other pixels never excuses a picture.

/// The rules that find the possible older names of a picture's reference.
package struct SuccessionRules: Sendable {
    /// The most predecessors that are followed from one cell.
    package static let generationsMax = 8
    /// The most names that are proposed for one picture.
    ///
    /// A name of one word has about 25 spellings in each generation, and rename rules add as many.
    /// With 64 on the real history, older generations were cut off.
    package static let proposalsMax = 512

    private struct Predecessor: Sendable {
        let cell: CellID
        let device: Device
    }

    private let cells: [CellID: Cell]
    private let devices: [Device]
    private let renames: [RenameRule]

    /// Makes the rules of a pipeline.
    ///
    /// - Parameters:
    ///   - cells: the matrix; devices may succeed devices that are no longer in it.
    ///   - renames: rules for names that change with more than the device.
    package init(cells: [Cell], renames: [RenameRule] = []) {
        self.cells = Dictionary(cells.map { ($0.id, $0) }) { first, _ in first }
        self.renames = renames
        var seen: Set<Device> = []
        devices = cells.compactMap(\.device).filter { seen.insert($0).inserted }
    }

    /// Returns the cells that this cell succeeds, the nearest first.
    package func predecessors(of cell: CellID) -> [CellID] { chain(of: cell).map(\.cell) }

    /// Returns the older names that a picture's reference may have, the likeliest first.
    package func predecessors(of id: SnapshotID) -> [SnapshotID] {
        var found: [SnapshotID] = []
        var seen: Set<SnapshotID> = [id]
        func propose(_ other: SnapshotID) {
            guard found.count < Self.proposalsMax, seen.insert(other).inserted else { return }
            found.append(other)
        }
        for other in renames.flatMap({ $0.before(id) }) { propose(other) }
        guard let device = cells[id.cell]?.device else { return found }
        for predecessor in chain(of: id.cell) {
            let names = Self.names(of: id, on: predecessor, from: device)
            for other in names { propose(other) }
            for other in names {
                for older in renames.flatMap({ $0.before(other) }) { propose(older) }
            }
        }
        return found
    }

    /// Returns the names that a picture may have on an older device: those with the device's words
    /// replaced, then the unchanged name.
    private static func names(
        of id: SnapshotID,
        on predecessor: Predecessor,
        from device: Device
    ) -> [SnapshotID] {
        let words = DeviceWords(device)
        let old = DeviceWords(predecessor.device)
        let texts = words.before("\(id.suite)/\(id.name)", old: old) + ["\(id.suite)/\(id.name)"]
        return texts.compactMap { text in
            let slash = UInt8(ascii: "/")
            let parts = text.utf8.split(separator: slash).map { String(Substring($0)) }
            guard parts.count > 1, let name = parts.last else { return nil }
            return try? SnapshotID(
                cell: predecessor.cell,
                suite: parts.dropLast().joined(separator: "/"),
                name: name
            )
        }
    }

    private func chain(of cell: CellID) -> [Predecessor] {
        guard let cell = cells[cell], var device = cell.device else { return [] }
        var chain: [Predecessor] = []
        var seen: Set<CellID> = [cell.id]
        while chain.count < Self.generationsMax, let name = device.succeeds {
            device = predecessor(named: name)
            let id = Matrix.cellID(device: device, variant: cell.variant)
            guard seen.insert(id).inserted else { break }
            chain.append(Predecessor(cell: id, device: device))
        }
        return chain
    }

    /// Returns the device of this name from the matrix, or from the catalogue if the matrix no
    /// longer has it.
    private func predecessor(named text: String) -> Device {
        let spelled = DeviceName(text)
        // Without an OS, the name may match several devices: one without an OS is preferred.
        let meant = devices.filter { $0.isSpelled(text) }
        if let device = meant.first(where: { $0.os == spelled.os }) ?? meant.first {
            return device
        }
        let entry = DeviceCatalogue.entry(named: spelled.name)
        return Device(
            name: entry?.name ?? spelled.name,
            os: spelled.os,
            width: entry?.width ?? 0,
            height: entry?.height ?? 0,
            scale: entry?.scale ?? 0
        )
    }
}
