// Tests that policies from flags equal those of a pipeline file.
import FarmCore
import FarmPipeline
import Testing

@Suite("Policies from flags")
struct PolicyFlagsTests {
    @Test("without flags the policy is the pipeline's default")
    func byDefault() throws {
        #expect(try PolicyFlags().policy() == ComparisonRules().policy)
    }

    @Test("flags make the policy that a pipeline file would")
    func policies() throws {
        #expect(
            try PolicyFlags(["policy": "fb", "perPixelTolerance": "0.02"]).policy()
                == .fb(perPixelTolerance: 0.02, overallTolerance: 0)
        )
        #expect(try PolicyFlags(["policy": "exact"]).policy() == .exact)
        #expect(
            try PolicyFlags(["noise": "3", "antiAliasing": "counted"]).policy()
                == .visible(VisibleLimits(noise: 3, antiAliasing: .counted))
        )
        #expect(
            try PolicyFlags(["policy": "pixelmatch", "version": "5.3.0"]).policy()
                == .pixelmatch(
                    threshold: ComparisonPolicy.Default.pixelmatchThreshold,
                    includeAntiAliasing: false,
                    maxDifferingPixels: 0,
                    version: .v5
                )
        )
    }

    @Test(
        "what no policy has, and what another policy has, is refused with the right one named",
        arguments: [
            (["policy": "pixelmach"], "unknown policy", "pixelmatch"),
            (["policy": "fb", "precision": "1"], "fb has no precision", "point-free"),
            (["policy": "fb", "colour": "1"], "fb has no colour", "No policy has"),
            (["policy": "fb", "overallTolerance": "2"], "overallTolerance is \"2\"", "0.0 to 1.0"),
            (["policy": "fb", "overallTolerance": ""], "overallTolerance is \"\"", "number"),
        ] as [([String: String], String, String)]
    )
    func refused(values: [String: String], message: String, remedy: String) {
        let error = #expect(throws: PolicyFlagError.self) {
            try PolicyFlags(values).policy()
        }
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.remedy.contains(remedy) == true, "\(error?.remedy ?? "")")
    }

    @Test(
        "flags are the keys in kebab-case, and none is the program's own",
        arguments: [
            ("policy", "policy"), ("perPixelTolerance", "per-pixel-tolerance"),
            ("version", "pixelmatch-version"),
        ]
    )
    func flags(key: String, flag: String) {
        #expect(PolicyFlags.flag(of: key) == flag)
    }

    @Test("a request changes numbers of the same policy, and takes none over from another")
    func overrides() throws {
        let base = PolicyFlags(["policy": "fb", "perPixelTolerance": "0.02"])
        let same = base.overridden(by: PolicyFlags(["overallTolerance": "0.5"]))
        #expect(try same.policy() == .fb(perPixelTolerance: 0.02, overallTolerance: 0.5))
        let other = base.overridden(by: PolicyFlags(["policy": "exact"]))
        #expect(try other.policy() == .exact)
    }
}
