// The place of a test: a file, and classes within it, which each program separates in its own way.
import FarmCore

/// A name in parts, with any program's separators: `tests/test_a.py::A` equals `tests.test_a.A`.
struct JUnitPlace: Hashable {
    private let parts: [Substring]

    /// The most parts that are compared; the longest real names have a dozen.
    private static let partsMax = 64
    /// The most places that `around` has, from the nearest on.
    private static let aroundMax = 8

    init(_ name: String) {
        parts = name.split { "./:#$>".contains($0) }.prefix(Self.partsMax).compactMap { part in
            let plain = part.drop { $0 == " " }
            let end = plain.lastIndex { $0 != " " }
            return end.map { plain[...$0] }.flatMap { $0 == "py" ? nil : $0 }
        }
    }

    private init(parts: [Substring]) { self.parts = parts }

    var isEmpty: Bool { parts.isEmpty }

    /// The classes, the file and the folders around this place, the nearest first.
    var around: [JUnitPlace] {
        parts.indices.dropFirst().reversed().prefix(Self.aroundMax).map {
            JUnitPlace(parts: Array(parts[..<$0]))
        }
    }
}
