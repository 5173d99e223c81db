// Time as people read it, and how often they must hear something.

/// How often a program that is busy says so.
package enum Heartbeat {
    /// CircleCI ends a job after ten silent minutes.
    package static let seconds = 30.0

    /// `40 s`, or `2 min 5 s`; begun seconds count.
    package static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}

extension Duration {
    /// Seconds with their fraction.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
