// Durations for people, and the interval of heartbeats.

/// The interval of messages from a busy program, and its text for durations.
package enum Heartbeat {
    /// The longest silence of a busy program, in seconds; CircleCI ends a job after ten silent
    /// minutes.
    package static let seconds = 30.0

    /// Returns a duration such as `40 s` or `2 min 5 s`, rounded up to seconds.
    package static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        return whole < 60 ? "\(whole) s" : "\(whole / 60) min \(whole % 60) s"
    }
}

extension Duration {
    /// This duration in seconds, with its fraction.
    package var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
