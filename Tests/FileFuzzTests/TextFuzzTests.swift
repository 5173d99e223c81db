import FarmCore
import FarmDrivers
import FarmPipeline
import Foundation
import Testing

@Suite("fuzzed texts", .serialized)
struct TextFuzzTests {
    private static let junit = """
        <?xml version="1.0" encoding="UTF-8"?>
        <testsuites tests="4" time="1.5">
        <testsuite name="s" file="tests/test_x.py" tests="4" time="1.5">
        <!-- made by hand -->
        <testcase classname="tests.test_x.TestY" name="ok &amp; well" time="1,234.5"/>
        <testcase classname="tests.test_x" name="test_a[p-1]" time="0.25" file="tests/test_x.py">
        <failure message="left &lt; right" type="AssertionError">trace 1 &#65;&#x42;</failure>
        <error message="then this"/>
        <system-out><![CDATA[<!DOCTYPE html> ]] &amp;]]></system-out>
        <system-err>line 1</system-err>
        </testcase>
        <testcase classname="A" name="off"><skipped message="later">because</skipped></testcase>
        <properties><property name="a" value="1"/></properties>
        <testcase name="last" time="3"/>
        </testsuite>
        </testsuites>
        """

    @Test("a changed JUnit file gives bounded cases or one reason")
    func junit() throws {
        let leased = ["tests/test_x.py::TestY::ok & well", "last", "A.off"].map { TestID($0) }
        try FuzzRun(kind: "junit").run { mutator in
            let file = Data(mutator.changed(Self.junit, spots: .quoted))
            let cases: [JUnitCase]
            do throws(JUnitError) {
                cases = try JUnitFile.parse(file) { true }?.cases ?? []
            } catch {
                #expect(!error.reason.isEmpty && error.reason.utf8.count < 200)
                return .strange
            }
            for entry in cases {
                #expect((0...FarmLimits.resultSecondsMax).contains(entry.seconds))
                #expect(entry.output.utf8.count <= 2 * FarmLimits.resultOutputBytesMax)
                // Normal form C makes some letters up to three times as long.
                #expect(entry.name.utf8.count <= 3 * FarmLimits.testIDBytesMax + 3)
            }
            for (test, entries) in Self.entries(cases, leased) {
                let result = JUnitMatch.result(of: test, entries)
                #expect((0...FarmLimits.resultSecondsMax).contains(result.seconds))
                if case .failed(let text) = result.ending {
                    #expect(text.utf8.count <= FarmLimits.resultOutputBytesMax)
                }
            }
            return .known
        }
    }

    private static func entries(_ cases: [JUnitCase], _ leased: [TestID]) -> [TestID: [JUnitCase]] {
        JUnitMatch.assign(cases, to: leased, while: { true })?.entries ?? [:]
    }

    private static let pipeline = """
        version: 1
        name: wallet
        references:
          store: ../wallet-references.git
          pin: snapfarm.refs
        devices:
          - iPhone 8 (13.1)
          - {name: iPhone 16, os: "18.2", succeeds: iPhone 8 (13.1)}
          - {name: Kiosk, width: 800, height: 1280, scale: 1.5}
        variants:
          appearance: [light, dark]
          locale: [ja, en]
        exclude:
          - {device: Kiosk, appearance: dark}
        jobs:
          snapshot_test:
            kind: snapshot
            driver: webdriver
            scenes: screens.yaml
            comparison:
              policy: fb
              perPixelTolerance: 0.02
              ignore: ["0,0-10,10"]
              cells: {"*_12.2_*": {overallTolerance: 0.1}}
            timeout: {test: 30s, shard: 10m}
            retries: 2
            env: {WALLET_BUILD: current}
            matrix: {devices: [Kiosk], variants: {locale: [ja]}}
          other:
            kind: unit
            driver: command
            discover: "./list-tests"
            run: "./run-tests {tests}"
            results: "out/*.xml"
            needs: [linux, "cores >= 2"]
        """

    @Test("a changed pipeline file is a pipeline, or has mistakes that fit a terminal")
    func yaml() throws {
        try FuzzRun(kind: "yaml").run { mutator in
            let bytes = mutator.changed(Self.pipeline, spots: .words)
            do throws(DocumentErrors) {
                _ = try PipelineDecoder.decode(
                    String(decoding: bytes, as: UTF8.self),
                    file: "p.yaml",
                    drivers: DriverCatalog.kinds
                )
            } catch {
                #expect((1...FarmLimits.documentProblemsMax + 1).contains(error.problems.count))
                for problem in error.problems {
                    #expect(problem.message.unicodeScalars.count < 20_000)
                    #expect(problem.text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }, "\(problem)")
                }
                return error.problems.contains { $0.code == "pipeline-not-yaml" }
                    ? .strange : .known
            }
            return .known
        }
    }

    @Test("a changed pin is refused with its line, or reads back as itself")
    func pin() throws {
        var lines: [String] = []
        for cell in ["A", "iPhone-8_13.1_dark_ja", "iPhone-8_13.1_light_ja"] {
            for folder in ["Login", "Wallet-日"] {
                let digit = "\(lines.count % 10)"
                lines += ["\(cell)/\(folder)", " " + String(repeating: digit, count: 40)]
            }
        }
        let text = lines.joined(separator: "\n") + "\n"
        try FuzzRun(kind: "pin").run { mutator in
            let bytes = Data(mutator.changed(text, spots: .lastNames))
            do throws(ReferencePinError) {
                let pin = try ReferencePin(parsing: bytes)
                #expect(Data(pin.text.utf8) == bytes)
                return .known
            } catch {
                #expect(error.line >= 1 && !error.message.isEmpty)
                // An error with a line number means that the file was read up to that line.
                return error.line > 1 ? .known : .strange
            }
        }
    }
}
