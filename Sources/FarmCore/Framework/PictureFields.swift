// What the path of a picture says about it, part by part.

/// One part of a picture's path that has a meaning.
package enum PictureField: String, Hashable, Sendable, Codable, CaseIterable {
    /// Folders before the framework's own.
    case folder
    /// Module or package of the test.
    case module
    /// Folder, class or file of the test: with `name` the picture's own name on the farm.
    case suite
    /// The test case's own name.
    case test
    /// The picture's name on the farm, inside its suite.
    case name
    /// What the test calls the picture.
    case identifier
    /// The number of a picture that has no identifier.
    case counter
    case scale, device, os, size, project, platform
}

/// The parts of one picture's path, as they are spelled there; a part that is not there is nil.
package struct PictureFields: Hashable, Sendable, ExpressibleByDictionaryLiteral {
    private(set) var values: [PictureField: String] = [:]

    package init(_ values: [PictureField: String]) { self.values = values }

    package init(dictionaryLiteral elements: (PictureField, String)...) {
        values = Dictionary(elements) { _, last in last }
    }

    package subscript(field: PictureField) -> String? {
        get { values[field] }
        set { values[field] = newValue }
    }

    /// Says what the others say, too.
    package mutating func add(_ others: PictureFields) {
        values.merge(others.values) { own, _ in own }
    }

    /// These parts alone.
    package func only(_ fields: Set<PictureField>) -> PictureFields {
        PictureFields(values.filter { fields.contains($0.key) })
    }
}
