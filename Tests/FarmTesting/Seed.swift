import Foundation

/// A small generator that repeats from its seed: SplitMix64 (Steele, Lea and Flood 2014).
package struct SeededGenerator: RandomNumberGenerator, Sendable {
    package let seed: UInt64
    private var state: UInt64

    package init(seed: UInt64) {
        self.seed = seed
        self.state = seed
    }

    /// Returns a generator with the seed of `SNAPFARM_TEST_SEED`, or a new one.
    ///
    /// The seed is printed, so that a failure can be repeated.
    ///
    /// A test that measures a rate, and so may fail for a rare seed, passes a fixed one as `usual`.
    package static func announced(
        _ test: String = #function,
        usual: UInt64? = nil
    ) -> SeededGenerator {
        let given = ProcessInfo.processInfo.environment["SNAPFARM_TEST_SEED"].flatMap(UInt64.init)
        let seed = given ?? usual ?? UInt64.random(in: 0...UInt64.max)
        print("\(test): SNAPFARM_TEST_SEED=\(seed)")
        return SeededGenerator(seed: seed)
    }

    package mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
