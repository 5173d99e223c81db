// When a certificate counts, and what people read about one that does not, or not for long.

/// The time within which a certificate is valid, in milliseconds since 1970.
package struct CertificateLife: Hashable, Sendable {
    package var start: Int64
    package var end: Int64

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    /// Whether the certificate is valid at this time.
    package func holds(at now: Int64) -> Bool { start <= now && now < end }

    /// A clause about a certificate that is not valid or ends within
    /// `FarmLimits.certificateWarningDays`; nil for any other.
    ///
    /// It names the clock of this machine where that may be what is wrong.
    package func warning(at now: Int64) -> String? {
        let clock = "this machine's clock says \(Self.text(now))"
        if now < start { return "is valid only from \(Self.text(start)) on, and \(clock)" }
        if now >= end { return "expired on \(Self.text(end)), and \(clock)" }
        let days = (end - now) / Self.dayMilliseconds
        guard days < FarmLimits.certificateWarningDays else { return nil }
        return "expires on \(Self.text(end)), in \(days) \(days == 1 ? "day" : "days")"
    }

    /// `2026-11-21 08:00 UTC`.
    package static func text(_ milliseconds: Int64) -> String {
        ISO8601.text(milliseconds).prefix(16).replacing("T", with: " ") + " UTC"
    }

    private static let dayMilliseconds: Int64 = 86_400_000
}
