// Names come in two Unicode spellings (macOS folders hand out the decomposed one); the farm keeps
// one of them.
import Foundation

extension String {
    /// The text in Unicode's normal form C.
    package var inNormalForm: String {
        // ASCII is its own normal form, nearly every name is ASCII, and lists hold thousands.
        utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping
    }
}
