// Tests of notes about values of an axis without any effect, and about pages that go on below their
// pictures.
import FarmCore
import Foundation
import Testing

@Suite("What pictures say of the matrix")
struct MatrixFindingsTests {
    /// Judges a run of two devices in two appearances and returns its problems; `bytes` gives each
    /// picture's bytes by suite, device and appearance.
    private func problems(
        _ bytes: (_ suite: String, _ device: String, _ appearance: String) -> String,
        below: Int? = nil,
        reference: (String) -> String? = { $0 }
    ) throws -> [Problem] {
        var builder = EvidenceBuilder()
        builder.job.cells = []
        for device in ["phone", "pad"] {
            for appearance in ["light", "dark"] {
                let cell = CellID("\(device)_\(appearance)")
                builder.job.cells.append(
                    Cell(
                        id: cell,
                        device: Device(name: device, width: 10, height: 10, scale: 1),
                        variant: [VariantValue(axis: "appearance", value: appearance)]
                    )
                )
                for suite in ["Home", "Cart"] {
                    let text = bytes(suite, device, appearance)
                    var report = try EvidenceBuilder.capture("a", text, reference: reference(text))
                    report.capture.id = try SnapshotID(cell: cell, suite: suite, name: "a")
                    report.capture.pixelsBelow = suite == "Home" ? below : nil
                    builder.add("\(suite)/a", [report], verdict: .passed)
                    builder.tests[builder.tests.count - 1].key.cell = cell
                }
            }
        }
        let summary = RunJudge.judge(builder.evidence).summary
        #expect(summary.problems.allSatisfy { $0.isNote })
        return summary.problems
    }

    @Test("two values by which no picture of a suite differs are told once, with the suites")
    func equalValues() throws {
        let none = try problems { "\($0) \($1) \($2)" }
        #expect(none == [])
        let cart = try problems { suite, device, appearance in
            suite == "Cart" ? "\(suite) \(device)" : "\(suite) \(device) \(appearance)"
        }
        #expect(
            cart.map(\.message) == [
                "job snap: appearance dark and light make the same pictures in Cart (2 of each)."
            ]
        )
        let both = try problems { suite, device, _ in "\(suite) \(device)" }
        #expect(
            both.map(\.message) == [
                "job snap: appearance dark and light make the same pictures in Cart, Home (4 of each)."
            ]
        )
        let onOneDevice = try problems { suite, device, appearance in
            device == "pad" ? "\(suite) \(device)" : "\(suite) \(device) \(appearance)"
        }
        #expect(onOneDevice == [])
    }

    @Test("pages that go on below a new or changed picture are told once for each job, no others")
    func below() throws {
        func bytes(_ suite: String, _ device: String, _ appearance: String) -> String {
            "\(suite) \(device) \(appearance)"
        }
        #expect(try problems(bytes, below: 340) == [])
        let changed = try problems(bytes, below: 340) { _ in "old" }
        let found = try problems(bytes, below: 340) { _ in nil }
        #expect(found == changed)
        #expect(found.map(\.code) == ["pages-go-on"])
        #expect(
            found.first?.message
                == "job snap: 1 page goes on below 4 pictures, by up to 340 pixels "
                + "(pad_dark/Home/a)."
        )
        #expect(found.first?.remedy.contains("fullPage: true") == true)
        #expect(found.first?.remedy.contains("element") == true)
    }
}
