// What a lease takes before its first test: a launch where its worker is warm for the cell, and what
// the cell boots as well where it is not. Earlier runs know it, or the leases of this run have said
// it; before that the plan holds the driver's guess. Advice for claims, which no verdict rests on.
import FarmCore

/// Microseconds from a lease's grant to its first test.
package struct LeaseStart: Hashable, Sendable {
    /// Where the worker's last lease was of the same cell: a launch.
    package var warm: Int
    /// Anywhere else: a boot and a launch; never less than `warm`.
    package var cold: Int

    init(warm: Int, cold: Int) {
        self.warm = max(0, warm)
        self.cold = max(0, warm, cold)
    }

    package static let none = LeaseStart(warm: 0, cold: 0)

    /// What a worker that moves to the cell pays beside its launch.
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

    /// What earlier runs know, else what this run has measured, else a guess.
    ///
    /// `start` and `launch` are those of a cell's ``CellCosts``: 0 where they are not known.
    package static func expected(
        start: Int,
        launch: Int,
        measured: MeasuredStarts,
        guess: LeaseStart?
    ) -> LeaseStart {
        let measured = measured.expected(guess)
        let cold = start > 0 ? start : measured.cold
        // A history of before launches were told apart knows the start alone.
        return LeaseStart(warm: launch > 0 ? launch : min(measured.warm, cold), cold: cold)
    }
}

/// What leases of a run have said of their starts.
package struct MeasuredStarts: Hashable, Sendable {
    /// Leases that said what they took, and the microseconds of them together.
    package struct Kind: Hashable, Sendable {
        package var leases: Int
        package var sum: Int

        package init(leases: Int = 0, sum: Int = 0) {
            self.leases = leases
            self.sum = sum
        }

        /// Nil before the first.
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

    /// What one lease has said.
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
    /// The guess replaces what no lease has measured yet; without a guess the first lease does.
    func expected(_ guess: LeaseStart?) -> LeaseStart {
        let first = guess.map { min($0.warm, cold.mean ?? $0.warm) } ?? cold.mean
        let warm = self.warm.mean ?? first ?? 0
        return LeaseStart(warm: warm, cold: cold.mean ?? warm + (guess?.boot ?? 0))
    }
}
