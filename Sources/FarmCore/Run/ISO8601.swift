import Foundation

/// The one form of a time in outputs: ISO 8601 in UTC with milliseconds.
package enum ISO8601 {
    /// `2026-11-21T08:00:00.000Z` of milliseconds since 1970.
    package static func text(_ milliseconds: Int64) -> String {
        let date = Date(timeIntervalSince1970: Double(milliseconds) / 1000)
        return date.formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true, timeZone: .gmt)
        )
    }
}
