// How busy a host was while a test ran there. A test that waits a fixed time for a screen that is
// still being drawn fails for want of a CPU; what it shows then says nothing about the app.
//
// Linux counts the time in which something runnable waited for a CPU (`/proc/pressure/cpu`,
// https://docs.kernel.org/accounting/psi.html); elsewhere the load average must do.

/// The share of a span of time in which runnable work waited for a CPU.
package struct HostLoad: Hashable, Sendable {
    package enum Source: String, Hashable, Sendable, Codable {
        /// Measured while the test ran.
        case pressure
        /// Estimated from the load average of the last minute.
        case loadAverage
    }

    /// 0…1, in thousandths.
    package let waiting: Double
    package let source: Source

    /// What is not a share becomes the nearest one.
    package init(waiting: Double, source: Source) {
        let share = waiting.isFinite ? min(max(waiting, 0), 1) : 0
        self.waiting = (share * 1000).rounded() / 1000
        self.source = source
    }

    /// The load between two looks at the same counter; nil where no time passed between them.
    package init?(from earlier: CPUPressure, to later: CPUPressure) {
        let span = later.at - earlier.at
        guard span > 0, later.waited >= earlier.waited else { return nil }
        let waited = later.waited - earlier.waited
        self.init(waiting: Double(waited) / Double(span), source: .pressure)
    }

    /// The load of the busiest `HostLoad.span` between the first and the last of some looks at the
    /// same counter, or of all of it where that is shorter; nil where no time passed.
    ///
    /// A test that is starved while it draws and alone while it waits has a harmless average.
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

    /// Microseconds that a load is looked for in: shorter ones jump between nothing and all by chance
    /// (`docs/adr/0015-overload.md`).
    package static let span: Int64 = 500_000

    /// The load that the last minute's load average stands for.
    ///
    /// As many runnable tasks as cores wait for nothing; with twice as many one waits at all times.
    package init(loadAverage: Double, cores: Int) {
        self.init(waiting: loadAverage / Double(max(1, cores)) - 1, source: .loadAverage)
    }

    /// Whether a failure on this host runs once more with nothing beside it before it counts.
    package var isOverloaded: Bool { waiting >= FarmLimits.hostWaitingMax }

    /// For people: "work waited for a CPU in 84 % of the busiest half second".
    package var words: String {
        let share = "work waited for a CPU in \(Int((waiting * 100).rounded())) % of the "
        return share + (source == .pressure ? "busiest half second" : "time, by the load average")
    }

    /// The last line of a failure that an overloaded host has seen: it is no cause.
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

/// One look at the kernel's counter of time in which something waited for a CPU.
package struct CPUPressure: Hashable, Sendable {
    /// Microseconds since the host started in which at least one task waited.
    package let waited: Int64
    /// Microseconds of a clock that only grows.
    package let at: Int64

    /// Reads `/proc/pressure/cpu`; nil for a text that is not such a file.
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
