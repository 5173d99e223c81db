// The references that a review shows beside the pictures of a zip. A forged zip could show another
// reference than that of the run's pin; accepting would then replace a reference that the reviewer
// never saw. The review therefore shows the pin's own objects, and refuses a zip that names others.
import FarmCore

package struct ShownReferences: Sendable {
    /// The object that the run's pin names for each picture.
    package private(set) var objects: [SnapshotID: ObjectID] = [:]
    /// The pictures whose reference cannot be compared with the pin's, sorted.
    ///
    /// For these, the review shows the run's own file.
    package private(set) var unknown: [SnapshotID] = []

    /// Compares the references of all pictures of a review with the run's pin.
    ///
    /// `references` reads those of a cell at the pin, or returns `nil` if they are not on this
    /// machine.
    /// - Throws: `ReviewRefusal.notOurs` for a reference that the pin does not have, and for a
    ///   picture that is called new although the pin has a reference for it.
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
                // The reference of a predecessor, which may be of another cell.
                switch try pinned.has(said, references) {
                case .some(true): objects[id] = said
                case .some(false):
                    throw Self.refusal(review.run, id, "compared with \(said), which its pin lacks")
                case .none: unknown.append(id)
                }
            case (.none, .none):
                // The framework's own copy of a reference.
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

    /// A warning to show before accepting, or `nil` if every reference is the pin's.
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

/// The reference objects of a pin, read cell by cell.
private struct PinnedObjects {
    let pin: ReferencePin
    private var cells: [CellID: [SnapshotID: ObjectID]?] = [:]
    private var everywhere: Set<ObjectID>??

    init(pin: ReferencePin) { self.pin = pin }

    /// Returns the object of a picture, `.some(nil)` if the pin has none, or `nil` if it cannot be
    /// read.
    mutating func object(
        of id: SnapshotID,
        _ references: (CellID) throws -> [Reference]?
    ) throws -> ObjectID?? {
        try objects(of: id.cell, references).map { $0[id] }
    }

    /// Whether an object is a reference of any cell; `nil` if not all cells can be read.
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
