// Unicode's normal form of names: macOS folders return names in decomposed form; snapfarm keeps the
// composed one.
import Foundation

extension String {
    /// The text in Unicode's normal form C.
    package var inNormalForm: String {
        // ASCII text is already in normal form. Nearly every name is ASCII, and lists hold
        // thousands.
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
