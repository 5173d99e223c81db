import Foundation

/// The form of times in outputs: ISO 8601 in UTC with milliseconds.
package enum ISO8601 {
    /// Returns the text of a time in milliseconds since 1970, such as `2026-11-21T08:00:00.000Z`.
    package static func text(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
        )
    }
}
