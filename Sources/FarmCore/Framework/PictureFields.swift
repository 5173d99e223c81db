// The parts of a picture's path that have a meaning.

/// A field: a part of a picture's path that has a meaning.
package enum PictureField: String, Hashable, Sendable, Codable, CaseIterable {
    /// The folders of the path before the framework's own folder.
    case folder
    /// The test's module or package.
    case module
    /// The test's folder, class or file.
    ///
    /// Suite and `name` together are the picture's name in snapfarm.
    case suite
    /// The test case's own name.
    case test
    /// The picture's name in snapfarm, within its suite.
    case name
    /// The identifier that the test gives the picture.
    case identifier
    /// The number that tells pictures of one test without identifiers apart.
    case counter
    case scale, device, os, size, project, platform
}

/// The fields of one picture's path, spelled as in the path; an absent field is `nil`.
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

    /// Adds those of the `others` that are absent here; present values stay.
    package mutating func add(_ others: PictureFields) {
        values.merge(others.values) { own, _ in own }
    }

    /// Returns a copy with only these fields.
    package func only(_ fields: Set<PictureField>) -> PictureFields {
        PictureFields(values.filter { fields.contains($0.key) })
    }
}
