// The only source of randomness in a simulation, started by one number.

/// SplitMix64 (Steele, Lea and Flood 2014): the same seed gives the same numbers everywhere.
struct SimulatorRandom: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// Returns `true` with a probability of `percent`.
    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &self) < percent }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

    /// Returns a number of milliseconds; small orders of magnitude are as likely as large ones.
    mutating func milliseconds(_ range: ClosedRange<Int64>) -> Int64 {
        var top = range.upperBound
        while top > range.lowerBound + 1, Bool.random(using: &self) {
            top = (top + range.lowerBound) / 2
        }
        return Int64.random(in: range.lowerBound...top, using: &self)
    }
}
