// The place of a test: a file, classes within it. Each program separates these in its own way.
import FarmCore

/// A name in parts, however its program separates them: `tests/test_a.py::A` as `tests.test_a.A`.
struct JUnitPlace: Hashable {
    private let parts: [Substring]

    /// Parts that are looked at; the longest real names have a dozen.
    private static let partsMax = 64
    /// Places around a place that are looked at, from the nearest on.
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

    /// The classes and the file that it is in, and folders, the nearest first.
    var around: [JUnitPlace] {
        parts.indices.dropFirst().reversed().prefix(Self.aroundMax).map {
            JUnitPlace(parts: Array(parts[..<$0]))
        }
    }
}
