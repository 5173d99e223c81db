// The time before a lease's first test: a launch if its worker is warm for the cell, else a boot
// and a launch. It comes from earlier runs, else from the leases of this run, else from the
// guess of the driver, which the plan holds. It guides claims; no verdict depends on it.
import FarmCore

/// The microseconds from a lease's grant to its first test.
package struct LeaseStart: Hashable, Sendable {
    /// The microseconds of a start after a lease of the same cell: a launch.
    package var warm: Int
    /// The microseconds of any other start: a boot and a launch; never less than `warm`.
    package var cold: Int

    init(warm: Int, cold: Int) {
        self.warm = max(0, warm)
        self.cold = max(0, warm, cold)
    }

    package static let none = LeaseStart(warm: 0, cold: 0)

    /// The microseconds that a worker new to the cell needs beside the launch.
    var boot: Int { cold - warm }

    /// Converts a driver's guess, which the plan holds.
    package init(_ guess: StartGuess) {
        func microseconds(_ seconds: Double) -> Int {
            Int(min(max(0, seconds), FarmLimits.reportSecondsMax) * 1_000_000)
        }
        self.init(
            warm: microseconds(guess.warmSeconds),
            cold: microseconds(guess.coldSeconds)
        )
    }

    /// Returns the expected start of a cell: by earlier runs, else as this run measured it, else
    /// the driver's guess.
    ///
    /// `start` and `launch` are those of the cell's ``CellCosts``; 0 if unknown.
    package static func expected(
        start: Int,
        launch: Int,
        measured: MeasuredStarts,
        guess: LeaseStart?
    ) -> LeaseStart {
        let measured = measured.expected(guess)
        let cold = start > 0 ? start : measured.cold
        // An older history has the whole start only, without the launch.
        return LeaseStart(warm: launch > 0 ? launch : min(measured.warm, cold), cold: cold)
    }
}

/// The starts that leases of a run have measured.
package struct MeasuredStarts: Hashable, Sendable {
    /// The number of leases that measured one kind of start, and the sum of these starts in
    /// microseconds.
    package struct Kind: Hashable, Sendable {
        package var leases: Int
        package var sum: Int

        package init(leases: Int = 0, sum: Int = 0) {
            self.leases = leases
            self.sum = sum
        }

        /// The mean start in microseconds, or `nil` if no lease was measured.
        var mean: Int? { leases > 0 ? sum / leases : nil }

        static func + (left: Kind, right: Kind) -> Kind {
            Kind(leases: left.leases + right.leases, sum: left.sum + right.sum)
        }
    }

    package var warm: Kind
    package var cold: Kind

    init(warm: Kind = Kind(), cold: Kind = Kind()) {
        self.warm = warm
        self.cold = cold
    }

    /// Makes the sums of one lease from its measured start.
    init(_ start: MeasuredStart) {
        let seconds = min(max(0, start.seconds), FarmLimits.reportSecondsMax)
        let one = Kind(leases: 1, sum: Int(seconds * 1_000_000))
        self.init(warm: start.isWarm ? one : Kind(), cold: start.isWarm ? Kind() : one)
    }

    package static func + (left: MeasuredStarts, right: MeasuredStarts) -> MeasuredStarts {
        MeasuredStarts(warm: left.warm + right.warm, cold: left.cold + right.cold)
    }

    /// Returns the expected start of the next lease.
    ///
    /// The guess stands in for a kind of start that no lease has measured; without a guess, the
    /// other kind does.
    func expected(_ guess: LeaseStart?) -> LeaseStart {
        let first = guess.map { min($0.warm, cold.mean ?? $0.warm) } ?? cold.mean
        let warm = self.warm.mean ?? first ?? 0
        return LeaseStart(warm: warm, cold: cold.mean ?? warm + (guess?.boot ?? 0))
    }
}
