import FarmCore
import FarmDrivers
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@Suite("Pipeline files")
struct PipelineDecoderTests {
    private static let complete = """
        version: 1
        name: wallet
        references:
          store: ../wallet-references.git
          pin: snapfarm.refs
        devices:
          - iPhone 8 (13.1)
          - iPhone Xʀ (12.2)
          - {name: iPhone 16, os: "18.2", succeeds: iPhone 8 (13.1)}
          - {name: Kiosk, width: 800, height: 1280, scale: 1.5}
        variants:
          appearance: [light, dark]
          locale: [ja, en]
        exclude:
          - {device: iPhone 8 (13.1), appearance: dark}
        jobs:
          unit_test:
            kind: unit
            driver: swiftpm
            package: WalletCore
          snapshot_test:
            kind: snapshot
            driver: webdriver
            scenes: screens.yaml
            comparison:
              policy: fb
              perPixelTolerance: 0.02
              cells: {"*_12.2_*": {overallTolerance: 0.1}}
            timeout: {test: 30s, shard: 10m}
            retries: 2
            env: {WALLET_BUILD: current}
            matrix: {devices: [iPhone 8 (13.1), Kiosk], variants: {locale: [ja]}}
          other:
            kind: unit
            driver: command
            discover: "./list-tests"
            run: "./run-tests {tests}"
        """

    @Test("the example of the design decodes into typed values")
    func example() throws {
        let pipeline = try PipelineDecoder.decode(
            Self.complete,
            file: "app.yaml",
            drivers: DriverCatalog.kinds
        )
        #expect(pipeline.name == "wallet")
        #expect(pipeline.devices.map(\.name) == ["iPhone 8", "iPhone XR", "iPhone 16", "Kiosk"])
        #expect(pipeline.devices[2].succeeds == "iPhone 8 (13.1)")
        #expect(pipeline.jobs.map(\.name.text) == ["unit_test", "snapshot_test", "other"])
        let snapshot = pipeline.jobs[1]
        #expect(
            snapshot.cells.map(\.id.text) == [
                "iPhone-8_13.1_light_ja", "Kiosk_light_ja", "Kiosk_dark_ja",
            ]
        )
        #expect(snapshot.comparison.policy == .fb(perPixelTolerance: 0.02, overallTolerance: 0))
        #expect(
            snapshot.comparison.overrides.first?.policy
                == .fb(perPixelTolerance: 0.02, overallTolerance: 0.1)
        )
        #expect(snapshot.timeouts == JobTimeouts(testSeconds: 30, shardSeconds: 600))
        #expect(pipeline.jobs[0].cells == [.host])
    }

    @Test(
        "a mistake is named with its line and what would be right",
        arguments: [
            ("", "p.yaml: the file is empty."),
            ("a: [", "p.yaml:"),
            (
                "version: 1\njobz: {}",
                "p.yaml:2: unknown key \"jobz\" in the pipeline. Did you mean \"jobs\"?"
            ),
            ("version: 2\njobs: {}", "p.yaml:1: version is \"2\"."),
            ("version: 1", "p.yaml:1: the pipeline has no jobs."),
            (
                "version: 1\ndevices: [iPhnoe 8]\njobs: {a: {kind: unit, driver: swiftpm, package: P}}",
                "p.yaml:2: unknown device \"iPhnoe 8\". Did you mean \"iPhone 8\"?"
            ),
            (
                "version: 1\ndevices:\n  - iPhone Xʀ (12.2)\n  - iPhone XR (12.2)\njobs: {a: {kind: unit, driver: swiftpm, package: P}}",
                "p.yaml:4: iPhone XR (12.2) is the same cell as the device of line 3."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swfitpm, package: P}",
                "p.yaml:3: unknown driver \"swfitpm\". Did you mean \"swiftpm\"?"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, timeout: {test: 30}}",
                "p.yaml:3: timeout.test is \"30\". Write a time with its unit"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, discover: x}",
                "`discover` belongs to the driver command, not to swiftpm."
            ),
            (
                "version: 1\njobs:\n  a: {kind: snapshot, driver: command, discover: x, run: y}",
                "job a makes snapshots, but the pipeline has no references."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: command, discover: x, run: y, results: ../../x}",
                "results leaves the lease's folder"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: command, discover: x, run: \"y {test}\"}",
                "p.yaml:3: job a: run has {test}, which stands for nothing. Write `run: y {tests}`"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: command, discover: \"x {tests}\", run: y}",
                "p.yaml:3: job a: discover has {tests}, and nothing stands for a test there."
            ),
            ("version: 1\nversion: 1\njobs: {}", "stands twice"),
            ("just text", "p.yaml:1: the pipeline must be a map."),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {ignore: [1,2-3,4]}}",
                "p.yaml:3: job a.comparison.ignore: \"1\" is no box, and no part of a text. Write \"left,top-right,bottom\" in quotes"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {ignore: \"5,5-4,9\"}}",
                "p.yaml:3: job a.comparison.ignore: \"5,5-4,9\" is no box, and no part of a text."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {ignore: $..id}}",
                "p.yaml:3: job a.comparison.ignore: \"$..id\" is no path of JSON. Write `$`, then `.name`"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {ignore: '/[0-9 ms/'}}",
                "ignore: \"/[0-9 ms/\" is no regular expression between two `/`. Close each bracket"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {cells: {\"*\": {mask: ../m.png}}}}",
                "p.yaml:3: *: mask leaves the pipeline file's folder: \"../m.png\"."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {cells: {\"*\": {ignor: x}}}}",
                "p.yaml:3: unknown key \"ignor\" in the policy of *. Did you mean \"ignore\"?"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {policy: visable}}",
                "p.yaml:3: unknown policy \"visable\". Did you mean \"visible\"?"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {nois: 2}}",
                "p.yaml:3: unknown key \"nois\" in job a.comparison. Did you mean \"noise\"?"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {noise: 256}}",
                "p.yaml:3: noise is \"256\". It must be a whole number from 0 to 255."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {cluster: 257}}",
                "p.yaml:3: cluster is \"257\". It must be a whole number from 0 to 256."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {antiAliasing: ignore}}",
                "p.yaml:3: unknown antiAliasing \"ignore\". Did you mean \"ignored\"?"
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {policy: pixelmatch, version: 6.0.0}}",
                "p.yaml:3: unknown version of pixelmatch \"6.0.0\". Known: 5.3.0, 7.2.0."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {policy: paparazzi, maxPercentDifference: 101}}",
                "p.yaml:3: maxPercentDifference is \"101\". It must be a number from 0.0 to 100.0."
            ),
            (
                "version: 1\njobs:\n  a: {kind: unit, driver: swiftpm, package: P, comparison: {policy: exact, noise: 2}}",
                "p.yaml:3: job a.comparison: the policy exact has no noise. Remove it."
            ),
        ]
    )
    func mistakes(text: String, message: String) {
        let error = #expect(throws: DocumentErrors.self) {
            try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
        }
        #expect(error?.exit == .invalidInput)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
    }

    @Test("regions are ignored by box and by mask, for a job and for some of its pictures")
    func ignored() throws {
        let text = """
            version: 1
            jobs:
              a:
                kind: unit
                driver: swiftpm
                package: P
                comparison:
                  policy: fb
                  overallTolerance: 0.1
                  ignore: "0,0-99,19"
                  mask: masks/all.png
                  cells:
                    "*_12.2": {perPixelTolerance: 0.5}
                  snapshots:
                    "Login/*":
                      ignore:
                        - 10,20-300,40
                        - 1,1-1,1
                    "Pay/*": {mask: pay.png, noise: 2, policy: visible}
            """
        let rules = try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
            .jobs[0].comparison
        let clock = PixelBox(x: 0, y: 0, width: 100, height: 20)
        #expect(rules.policy == .fb(perPixelTolerance: 0, overallTolerance: 0.1))
        #expect(rules.ignored == IgnoredRegions(boxes: [clock], mask: "masks/all.png"))
        #expect(
            rules.overrides.map(\.policy) == [
                .fb(perPixelTolerance: 0.5, overallTolerance: 0.1), nil,
                .visible(VisibleLimits(noise: 2)),
            ]
        )
        #expect(
            rules.overrides.map(\.ignored) == [
                IgnoredRegions(),
                IgnoredRegions(boxes: [
                    PixelBox(x: 10, y: 20, width: 291, height: 21),
                    PixelBox(x: 1, y: 1, width: 1, height: 1),
                ]),
                IgnoredRegions(mask: "pay.png"),
            ]
        )
    }

    @Test("all mistakes are reported at once")
    func allAtOnce() {
        let text = """
            version: 9
            nme: x
            devices: [Fon]
            jobs:
              a: {kind: unti, driver: command}
            """
        let error = #expect(throws: DocumentErrors.self) {
            try PipelineDecoder.decode(text, file: "p.yaml", drivers: DriverCatalog.kinds)
        }
        #expect(error?.problems.map(\.line) == [2, 1, 3, 5, 5, 5])
    }

    @Test("YAML nested without end is refused, not followed")
    func nesting() {
        let text = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
        #expect(throws: DocumentErrors.self) {
            try PipelineDecoder.decode(text, file: "p", drivers: DriverCatalog.kinds)
        }
        var bomb = "a: &a [x]\n"
        for (from, to) in zip("abcdefghijk", "bcdefghijkl") {
            bomb +=
                "\(to): &\(to) [" + Array(repeating: "*\(from)", count: 9).joined(separator: ",")
                + "]\n"
        }
        #expect(throws: DocumentErrors.self) {
            try PipelineDecoder.decode(bomb, file: "p", drivers: DriverCatalog.kinds)
        }
    }
}
