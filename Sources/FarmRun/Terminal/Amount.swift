// How much there is of something, as people read it.
import Foundation

/// Numbers with their nouns and units.
package enum Amount {
    /// `12.3 MB`; powers of 1000.
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

    /// `1 picture`, `2 pictures`.
    package static func count(_ number: Int, _ noun: String) -> String {
        "\(number) \(noun)\(number == 1 ? "" : "s")"
    }
}
