// The load of a host while a test ran. A test that waits a fixed time for its screen fails if the
// host has no CPU free to draw it; such a failure says nothing about the app.
//
// Linux counts the time in which a runnable task waited for a CPU (`/proc/pressure/cpu`,
// https://docs.kernel.org/accounting/psi.html). On other systems, the load average has to do.

/// The load of a host: the share of a span of time in which runnable work waited for a CPU.
package struct HostLoad: Hashable, Sendable {
    package enum Source: String, Hashable, Sendable, Codable {
        /// From the kernel's pressure counter, measured while the test ran.
        case pressure
        /// From the load average of the last minute, an estimate.
        case loadAverage
    }

    /// The share of time in which work waited for a CPU, 0…1, in steps of a thousandth.
    package let waiting: Double
    package let source: Source

    /// Makes a load; a `waiting` outside 0…1 becomes the nearest share, and one that is not finite
    /// becomes 0.
    package init(waiting: Double, source: Source) {
        let share = waiting.isFinite ? min(max(waiting, 0), 1) : 0
        self.waiting = (share * 1000).rounded() / 1000
        self.source = source
    }

    /// Makes the load between two readings of the same counter, or `nil` if no time passed between
    /// them or the counter went back.
    package init?(from earlier: CPUPressure, to later: CPUPressure) {
        let span = later.at - earlier.at
        guard span > 0, later.waited >= earlier.waited else { return nil }
        let waited = later.waited - earlier.waited
        self.init(waiting: Double(waited) / Double(span), source: .pressure)
    }

    /// Makes the load from the busiest span of length `HostLoad.span` among readings of one
    /// counter, or from all of them if they cover less.
    ///
    /// Returns `nil` if no time passed.
    ///
    /// The average would hide a test that starves while it draws and then waits alone.
    package init?(busiestOf looks: [CPUPressure]) {
        guard let first = looks.first, let last = looks.last else { return nil }
        var busiest: HostLoad?
        var start = 0
        for look in looks {
            while start + 1 < looks.count, looks[start + 1].at <= look.at - Self.span { start += 1 }
            guard looks[start].at <= look.at - Self.span else { continue }
            guard let load = HostLoad(from: looks[start], to: look) else { continue }
            if load.waiting >= busiest?.waiting ?? 0 { busiest = load }
        }
        guard let load = busiest ?? HostLoad(from: first, to: last) else { return nil }
        self = load
    }

    /// The length in microseconds of the span that a load is measured over: shorter ones jump
    /// between nothing and all by chance (`docs/adr/0015-overload.md`).
    package static let span: Int64 = 500_000

    /// Estimates the load from the last minute's load average.
    ///
    /// With as many runnable tasks as cores no task waits; with twice as many, one always does.
    package init(loadAverage: Double, cores: Int) {
        self.init(waiting: loadAverage / Double(max(1, cores)) - 1, source: .loadAverage)
    }

    /// Whether the host was overloaded; a test that failed on it runs once more, isolated, before
    /// the failure counts.
    package var isOverloaded: Bool { waiting >= FarmLimits.hostWaitingMax }

    /// The load in words: "work waited for a CPU in 84 % of the busiest half second".
    package var words: String {
        let share = "work waited for a CPU in \(Int((waiting * 100).rounded())) % of the "
        return share + (source == .pressure ? "busiest half second" : "time, by the load average")
    }

    /// The line that ends the message of a failure on an overloaded host; the load need not be its
    /// cause.
    package var remark: String { "(The host was overloaded: \(words).)" }
}

extension HostLoad: Codable {
    private enum CodingKeys: String, CodingKey {
        case waiting, source
    }

    package init(from decoder: any Decoder) throws {
        let object = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            waiting: try object.decode(Double.self, forKey: .waiting),
            source: try object.decode(Source.self, forKey: .source)
        )
    }
}

/// A reading of the kernel's counter of time in which tasks waited for a CPU.
package struct CPUPressure: Hashable, Sendable {
    /// The microseconds since the host's start in which at least one task waited for a CPU.
    package let waited: Int64
    /// The reading's time in microseconds, by a clock that only grows.
    package let at: Int64

    /// Parses the content of `/proc/pressure/cpu`; returns `nil` for other text.
    package init?(parsing text: String, at: Int64) {
        let some = text.split(separator: "\n").first { $0.hasPrefix("some ") }
        let total = some?.split(separator: " ").first { $0.hasPrefix("total=") }
        guard let total, let waited = Int64(total.dropFirst("total=".count)), waited >= 0 else {
            return nil
        }
        self.waited = waited
        self.at = at
    }
}
