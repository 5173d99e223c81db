// Counts and sizes as text for people.
import Foundation

/// Formats numbers with their nouns and units.
package enum Amount {
    /// Returns a size such as `12.3 MB`; units are powers of 1000.
    package static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1_000 || unit == "GB" {
                return unit == "B" ? "\(count) B" : String(format: "%.1f \(unit)", value)
            }
            value /= 1_000
        }
        return "\(count) B"
    }

    /// Returns a count with its noun, such as `1 picture` or `2 pictures`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
