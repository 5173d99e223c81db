// The validity of a certificate, and the warning about one that is not valid or soon expires.

/// The period in which a certificate is valid: from `start` to `end`, in milliseconds since 1970.
package struct CertificateLife: Hashable, Sendable {
    package var start: Int64
    package var end: Int64

    package init(start: Int64, end: Int64) {
        self.start = start
        self.end = end
    }

    /// Whether the certificate is valid at this time.
    package func holds(at now: Int64) -> Bool { start <= now && now < end }

    /// Returns a warning about a certificate that is not valid or ends within
    /// `FarmLimits.certificateWarningDays`, as a clause, or `nil` for any other.
    ///
    /// The clause names this machine's clock if a wrong clock could be the cause.
    package func warning(at now: Int64) -> String? {
        let clock = "this machine's clock says \(Self.text(now))"
        if now < start { return "is valid only from \(Self.text(start)) on, and \(clock)" }
        if now >= end { return "expired on \(Self.text(end)), and \(clock)" }
        let days = (end - now) / Self.dayMilliseconds
        guard days < FarmLimits.certificateWarningDays else { return nil }
        return "expires on \(Self.text(end)), in \(days) \(days == 1 ? "day" : "days")"
    }

    /// Returns the time as `2026-11-21 08:00 UTC`.
    package static func text(_ milliseconds: Int64) -> String {
        ISO8601.text(milliseconds).prefix(16).replacing("T", with: " ") + " UTC"
    }

    private static let dayMilliseconds: Int64 = 86_400_000
}
