// The metrics of workers on demand. The names of launchers come from the configuration, so no
// caller can make the series grow.

enum LaunchMetrics {
    /// Returns the metrics of launchers in Prometheus' text format; empty if there is no launcher.
    static func render(_ launchers: [LauncherCounts]) -> String {
        guard !launchers.isEmpty else { return "" }
        var text = """
            # HELP snapfarm_launches_total Workers on demand by launcher and what became of them.
            # TYPE snapfarm_launches_total counter

            """
        for launcher in launchers {
            for outcome in LaunchOutcome.allCases {
                text += "snapfarm_launches_total{launcher=\"\(launcher.name)\","
                text += "outcome=\"\(outcome.rawValue)\"} \(launcher.outcomes[outcome] ?? 0)\n"
            }
        }
        text += """
            # HELP snapfarm_launched_workers Workers on demand that are there, by launcher and state.
            # TYPE snapfarm_launched_workers gauge

            """
        for launcher in launchers {
            for (state, count) in [("coming", launcher.coming), ("live", launcher.live)] {
                text += "snapfarm_launched_workers{launcher=\"\(launcher.name)\","
                text += "state=\"\(state)\"} \(count)\n"
            }
        }
        return text
    }
}
