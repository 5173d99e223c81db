// The day of a tombstone. It is part of the tombstone's name, so that every copy of a store has it.

/// A day of the Gregorian calendar in UTC, written `yyyymmdd`.
package struct PruneDay: Hashable, Comparable, Sendable, Codable, CustomStringConvertible {
    /// The number of whole days since 1 January 1970.
    package let number: Int

    private static let secondsPerDay = 86_400.0
    /// The number of the last day whose year has four digits.
    private static let numberMax = 2_932_896

    /// Makes the UTC day of a time in seconds since 1970.
    ///
    /// A time outside the years 1970-9999 becomes the nearest day inside.
    package init(secondsSince1970 seconds: Double) {
        let days = (seconds / Self.secondsPerDay).rounded(.down)
        number = days.isFinite ? Int(min(max(days, 0), Double(Self.numberMax))) : 0
    }

    /// Parses a day from 1970 on, written as exactly eight digits; returns `nil` for other text.
    package init?(_ text: some StringProtocol) {
        let digits = Array(text.utf8)
        guard digits.count == 8, digits.allSatisfy({ (48...57).contains($0) }),
            let year = Int(text.prefix(4)), let month = Int(text.dropFirst(4).prefix(2)),
            let day = Int(text.suffix(2)), year >= 1970
        else { return nil }
        number = Self.number(year: year, month: month, day: day)
        guard description == String(text) else { return nil }
    }

    /// The day as `yyyymmdd`.
    package var description: String {
        let (year, month, day) = civil
        return String(year * 10_000 + month * 100 + day)
    }

    /// The day as `yyyy-mm-dd`.
    package var text: String {
        let digits = description
        return "\(digits.prefix(4))-\(digits.dropFirst(4).prefix(2))-\(digits.suffix(2))"
    }

    package static func < (left: Self, right: Self) -> Bool { left.number < right.number }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let day = PruneDay(text) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "not a day: \(text.prefix(20))"
            )
        }
        self = day
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(description)
    }

    // Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms": years begin in March, so
    // that the leap day is the last of its year.
    private static func number(year: Int, month: Int, day: Int) -> Int {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    private var civil: (year: Int, month: Int, day: Int) {
        let days = number + 719_468
        let era = days / 146_097
        let dayOfEra = days - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        return (year, month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }
}
