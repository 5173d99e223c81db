// The references that a review shows beside the pictures of a zip. A forged zip could show another
// reference than the run's pin has, and accepting would then replace one that the reviewer never saw. So
// the review shows the pin's own objects, and refuses a zip that names others.
import FarmCore

package struct ShownReferences: Sendable {
    /// The pin's own object beside a picture.
    package private(set) var objects: [SnapshotID: ObjectID] = [:]
    /// Pictures whose reference cannot be compared with the pin's: what is shown beside them is the
    /// run's own word; sorted.
    package private(set) var unknown: [SnapshotID] = []

    /// Compares all pictures of a review.
    ///
    /// `references` reads those of a cell at the run's pin, `nil` where they are not on this machine.
    /// - Throws: `ReviewRefusal.notOurs` for a reference that the pin does not have, and for a
    ///   picture that is called new and has one.
    package init(
        of review: Review,
        references: (CellID) throws -> [Reference]?
    ) throws {
        var pinned = PinnedObjects(pin: review.run.manifest.pin)
        for (id, found) in review.pictures.sorted(by: { $0.key < $1.key }) {
            let said = found.picture.reference
            guard let own = try pinned.object(of: id, references) else {
                if said != nil || found.entry.files["reference"] != nil { unknown.append(id) }
                continue
            }
            switch (own, said) {
            case (.some(let object), .some(let said)) where object != said:
                throw Self.refusal(
                    review.run,
                    id,
                    "compared with \(said), but its pin has \(object)"
                )
            case (.some(let object), .none) where found.picture.verdict == .new:
                throw Self.refusal(review.run, id, "new, but its pin has the reference \(object)")
            case (.some(let object), _): objects[id] = object
            case (.none, .some(let said)):
                // That of a predecessor, which may be of another cell.
                switch try pinned.has(said, references) {
                case .some(true): objects[id] = said
                case .some(false):
                    throw Self.refusal(review.run, id, "compared with \(said), which its pin lacks")
                case .none: unknown.append(id)
                }
            case (.none, .none):
                // A copy of the framework's own.
                if found.entry.files["reference"] != nil { unknown.append(id) }
            }
        }
    }

    private static func refusal(
        _ run: ReviewedRun,
        _ id: SnapshotID,
        _ fact: String
    ) -> ReviewRefusal {
        .notOurs(origin: run.origin, fact: "its manifest says that \(id) is \(fact)")
    }

    /// A warning to read before accepting; `nil` where every reference is the pin's.
    package var doubt: Problem? {
        guard !unknown.isEmpty else { return nil }
        let shown = unknown.prefix(Self.namesMax).map(\.text).joined(separator: ", ")
        let rest = unknown.count > Self.namesMax ? ", …" : ""
        return Problem(
            code: "references-not-compared",
            message: "the references beside \(unknown.count) pictures are unknown here: they could "
                + "not be compared with those of the run's pin (\(shown)\(rest)).",
            remedy: "Before you accept these, open the run where the reference store has that pin, "
                + "or run the tests again."
        )
    }

    private static let namesMax = 3
}

/// The objects that a pin names, read cell by cell.
private struct PinnedObjects {
    let pin: ReferencePin
    private var cells: [CellID: [SnapshotID: ObjectID]?] = [:]
    private var everywhere: Set<ObjectID>??

    init(pin: ReferencePin) { self.pin = pin }

    /// The object of a picture, `.some(nil)` where the pin has none; nil where it cannot be read.
    mutating func object(
        of id: SnapshotID,
        _ references: (CellID) throws -> [Reference]?
    ) throws -> ObjectID?? {
        try objects(of: id.cell, references).map { $0[id] }
    }

    /// Whether an object is a reference of any cell; nil where not all can be read.
    mutating func has(
        _ object: ObjectID,
        _ references: (CellID) throws -> [Reference]?
    ) throws -> Bool? {
        if everywhere == nil {
            var all: Set<ObjectID>? = []
            for cell in pin.cells {
                guard let found = try objects(of: cell, references) else {
                    all = nil
                    break
                }
                all?.formUnion(found.values)
            }
            everywhere = .some(all)
        }
        return everywhere?.map { $0.contains(object) }
    }

    private mutating func objects(
        of cell: CellID,
        _ references: (CellID) throws -> [Reference]?
    ) throws -> [SnapshotID: ObjectID]? {
        if let known = cells[cell] { return known }
        let found = try references(cell).map {
            Dictionary($0.map { ($0.id, $0.objectID) }) { first, _ in first }
        }
        cells[cell] = .some(found)
        return found
    }
}
