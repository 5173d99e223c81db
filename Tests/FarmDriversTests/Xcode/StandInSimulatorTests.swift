// Tests that the stand-in's simulators, pictures, results and troubles behave like the real ones.
import FarmTesting
import Foundation
import Testing

@Suite("Stand-in of simctl and xcresulttool")
struct StandInSimulatorTests {
    private static let kit = "ShopTests/CartTests/testKit"

    @Test("calls in the wrong state are refused with the real text and status")
    func states() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        #expect(try shop.simctl("shutdown", udid).errors.contains("current state: Shutdown"))
        #expect(try shop.simctl("ui", udid, "appearance", "dark").status == 149)
        #expect(try shop.simctl("boot", udid).status == 0)
        #expect(try shop.simctl("ui", udid, "appearance", "dark").status == 149)
        #expect(try shop.simctl("bootstatus", udid, "-b").status == 0)
        #expect(try shop.simctl("bootstatus", udid, "-b").status == 0)
        let again = try shop.simctl("boot", udid)
        #expect(again.status == 149)
        #expect(again.errors.contains("Unable to boot device in current state: Booted"))
        #expect(try shop.simctl("erase", udid).status == 149)
        #expect(try shop.simctl("clone", udid, "Copy").status == 149)
        #expect(try shop.simctl("delete", udid).status == 0)
        let gone = try shop.simctl("boot", udid)
        #expect(gone.status == 148)
        #expect(gone.errors.contains("Invalid device: \(udid)"))
    }

    @Test("a plain boot is not up until somebody waits or looks often enough")
    func asynchronousBoot() throws {
        let shop = try StandInApp()
        #expect(try shop.simctl("boot", shop.simulator).status == 0)
        let looks = try (0..<6).map { _ in try shop.simctl("list", "devices").output }
        #expect(looks.first?.contains("(Booting)") == true)
        #expect(looks.last?.contains("(Booted)") == true)
    }

    /// Returns the picture that a test writes under the current settings.
    private func picture(
        _ shop: StandInApp,
        _ name: String = "kit",
        _ more: [String] = []
    ) throws -> Data {
        let folder = try TemporaryFolder("pictures")
        let test = name == "kit" ? Self.kit : "ShopTests/CartTests/testBar"
        let ending = try shop.test([test], more, ["TEST_RUNNER_SNAPFARM_CAPTURE_DIR": folder.path])
        #expect(ending.status == 0, "\(ending.output)")
        return try #require(
            FileManager.default.contents(atPath: folder.file("CartTests/\(name).png"))
        )
    }

    @Test("every setting that a picture depends on changes it, and the same settings give the same")
    func settings() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        #expect(try shop.simctl("bootstatus", udid, "-b").status == 0)
        let plain = try picture(shop)
        #expect(try picture(shop) == plain)
        #expect(try picture(shop, "kit", ["-testLanguage", "ja"]) != plain)
        #expect(try picture(shop, "kit", ["-testLanguage", "en", "-testRegion", "GB"]) != plain)
        #expect(try shop.simctl("ui", udid, "content_size", "small").status == 0)
        #expect(try picture(shop) != plain)
        #expect(try shop.simctl("ui", udid, "content_size", "large").status == 0)
        #expect(try shop.simctl("ui", udid, "appearance", "dark").status == 0)
        let dark = try picture(shop)
        #expect(dark != plain)
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try picture(shop) == dark)
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try shop.simctl("erase", udid).status == 0)
        #expect(try picture(shop) == plain)
    }

    @Test("a status bar without an override is never the same, and a boot takes the override away")
    func statusBar() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        #expect(try picture(shop, "bar") != picture(shop, "bar"))
        let override = ["status_bar", udid, "override", "--time", "9:41"]
        #expect(try shop.mac.run(["xcrun", "simctl"] + override).status == 0)
        #expect(try picture(shop, "bar") == picture(shop, "bar"))
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try picture(shop, "bar") != picture(shop, "bar"))
    }

    @Test("a language that is written takes effect at the next boot")
    func language() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        let plain = try picture(shop)
        let write = ["defaults", "write", "-g", "AppleLanguages", "-array", "ja-JP", "en"]
        #expect(try shop.mac.run(["xcrun", "simctl", "spawn", udid] + write).status == 0)
        #expect(try picture(shop) == plain)
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try picture(shop) != plain)
    }

    @Test("what is set while SpringBoard starts again is lost, and its end takes the status bar")
    func springBoard() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        #expect(try shop.simctl("bootstatus", udid, "-b").status == 0)
        func bar() throws -> String { try shop.simctl("status_bar", udid, "list").output }
        func set() throws {
            #expect(try shop.simctl("status_bar", udid, "override", "--time", "9:41").status == 0)
            #expect(try shop.simctl("ui", udid, "appearance", "dark").status == 0)
        }
        func answers() throws -> Bool {
            try shop.simctl("spawn", udid, "launchctl", "print", "system").output
                .contains("M   A   com.apple.springboard.services")
        }
        try set()
        #expect(try bar().contains("Time: 9:41"))
        #expect(try shop.simctl("ui", udid, "appearance", "light").status == 0)
        let kill = ["launchctl", "kill", "SIGKILL", "system/com.apple.SpringBoard"]
        #expect(try shop.mac.run(["xcrun", "simctl", "spawn", udid] + kill).status == 0)
        try set()
        #expect(try !bar().contains("Time"))
        #expect(try !answers())
        #expect(try answers())
        #expect(try shop.simctl("ui", udid, "appearance").output == "light\n")
        try set()
        #expect(try bar().contains("Time: 9:41"))
        #expect(try shop.simctl("ui", udid, "appearance").output == "dark\n")
    }

    @Test(
        "a first boot migrates data, as one after an erase does; a clone of a booted one does not"
    )
    func firstBoots() throws {
        let shop = try StandInApp(#"{"firstBootSeconds": 300, "bootSeconds": 9}"#)
        let udid = shop.simulator
        func boot(_ udid: String) throws -> (migrates: Bool, elapsed: String?) {
            let output = try shop.simctl("bootstatus", udid, "-b").output
            let elapsed = output.firstMatch(of: #/isTerminal=YES, Elapsed=(\S+)\./#)
            return (output.contains("Waiting on Data Migration"), elapsed.map { String($0.1) })
        }
        #expect(try boot(udid) == (true, "05:00"))
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try boot(udid) == (false, "00:09"))
        #expect(try shop.simctl("shutdown", udid).status == 0)
        let copy = try shop.simctl("clone", udid, "Copy").output
        #expect(try boot(copy.trimmingCharacters(in: .whitespacesAndNewlines)) == (false, "00:09"))
        #expect(try shop.simctl("erase", udid).status == 0)
        #expect(try boot(udid) == (true, "05:00"))
    }

    @Test("iOSSnapshotTestCase records where its variable says, and compares with that")
    func iOSSnapshotTestCase() throws {
        let shop = try StandInApp()
        let folder = try TemporaryFolder("references")
        let test = "ShopTests/CartTests/testFB"
        var variables = [
            "TEST_RUNNER_FB_REFERENCE_IMAGE_DIR": folder.file("References"),
            "TEST_RUNNER_IMAGE_DIFF_DIR": folder.file("Diffs"),
        ]
        let missing = try shop.test([test], [], variables)
        #expect(missing.output.contains("Code=1"))
        variables["TEST_RUNNER_SNAPSHOT_TEST_RECORD_MODE"] = "true"
        let recorded = try shop.test([test], [], variables)
        #expect(recorded.status == 65)
        #expect(recorded.output.contains("Test ran in record mode. Reference image is now saved."))
        let path = folder.file("References_64/ShopTests.CartTests/testFB_a_b@3x.png")
        #expect(FileManager.default.fileExists(atPath: path))
        variables["TEST_RUNNER_SNAPSHOT_TEST_RECORD_MODE"] = "1"
        #expect(try shop.test([test], [], variables).status == 0)
        #expect(try shop.simctl("ui", shop.simulator, "appearance", "dark").status == 0)
        #expect(try shop.test([test], [], variables).output.contains("Images different"))
        for kind in ["reference_", "failed_", "diff_"] {
            let file = folder.file("Diffs/ShopTests.CartTests/\(kind)testFB_a_b@3x.png")
            #expect(FileManager.default.fileExists(atPath: file))
        }
    }

    @Test(
        "swift-snapshot-testing looks beside the source as it was built, and writes what is missing"
    )
    func swiftSnapshotTesting() throws {
        let shop = try StandInApp()
        let test = "ShopTests/CartTests/testPF"
        let reference = shop.app.file("ShopTests/__Snapshots__/CartTests/testPF.cart.png")
        let never = ["TEST_RUNNER_SNAPSHOT_TESTING_RECORD": "never"]
        let refused = try shop.test([test], [], never)
        #expect(
            refused.output.contains("New snapshot was not recorded because recording is disabled")
        )
        #expect(!FileManager.default.fileExists(atPath: reference))
        #expect(try shop.test([test]).output.contains("Automatically recorded snapshot: …"))
        #expect(FileManager.default.fileExists(atPath: reference))
        #expect(try shop.test([test], [], never).status == 0)
        #expect(try shop.simctl("ui", shop.simulator, "appearance", "dark").status == 0)
        let artifacts = ["TEST_RUNNER_SNAPSHOT_ARTIFACTS": shop.app.file("failed")]
        let differs = try shop.test([test], [], never.merging(artifacts) { _, new in new })
        #expect(differs.output.contains(#"Snapshot "cart" does not match reference."#))
        #expect(
            FileManager.default.fileExists(
                atPath: shop.app.file("failed/CartTests/testPF.cart.png")
            )
        )
    }

    @Test("attachments of a test that passed are kept only when the test run says so")
    func attachments() throws {
        let shop = try StandInApp()
        let test = "ShopTests/CartTests/testShot"
        for (lifetime, count) in [("deleteOnSuccess", 0), ("keepAlways", 1)] {
            let copy = try shop.edited { $0["UserAttachmentLifetime"] = lifetime }
            let bundle = shop.app.file(lifetime + ".xcresult")
            #expect(try shop.test([test], ["-resultBundlePath", bundle], by: copy).status == 0)
            let folder = shop.app.file("out-" + lifetime)
            let export = ["export", "attachments", "--path", bundle, "--output-path", folder]
            #expect(try shop.mac.run(["xcrun", "xcresulttool"] + export).status == 0)
            let files = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(files.count { $0.hasSuffix(".png") } == count)
            #expect(files.contains("manifest.json"))
        }
    }

    @Test("results are read by their Xcode's commands: the older form needs its flag since 16")
    func olderResults() throws {
        for (version, isOlder) in [("16.4", false), ("15.4", true)] {
            let shop = try StandInApp(
                """
                {"selected": "\(version)", "xcodes": [{"version": "\(version)", "build": "1A1",
                 "sdk": "18.5", "path": "Applications/Xcode.app"}]}
                """
            )
            let bundle = shop.app.file("r.xcresult")
            #expect(try shop.test([Self.kit], ["-resultBundlePath", bundle]).status == 0)
            #expect(try (shop.results("tests", of: bundle).status == 0) == !isOlder)
            let old = ["xcrun", "xcresulttool", "get", "--format", "json", "--path", bundle]
            #expect(try (shop.mac.run(old).status == 0) == isOlder)
            #expect(try (shop.mac.run(old + ["--legacy"]).status == 0) == !isOlder)
        }
    }

    @Test(
        "a trouble strikes as often as it is told, and stays until its cure",
        arguments: [
            ("early-exit", ""), ("lost-testmanagerd", ""), ("never-began", ""),
            ("background", "shutdown"), ("mach-308", "erase"), ("frontboard", "delete"),
        ]
    )
    func troubles(kind: String, cure: String) throws {
        let shop = try StandInApp()
        try shop.mac.trouble(#"[{"kind": "\#(kind)", "times": 1}]"#)
        let first = try shop.test([StandInTests.empty])
        #expect(first.status == 65)
        #expect(first.output.contains("Testing failed:\n\tShop ("))
        var simulator = shop.simulator
        if !cure.isEmpty {
            #expect(try shop.test([StandInTests.empty]).status == 65)
            #expect(try shop.simctl("shutdown", simulator).status == 0)
            if cure != "shutdown" { #expect(try shop.simctl(cure, simulator).status == 0) }
            if cure == "delete" { simulator = try shop.mac.simulator("Phone") }
        }
        #expect(try shop.test([StandInTests.empty], on: simulator).status == 0)
    }

    @Test("a hung boot ends by a shutdown, a hidden simulator comes back to who looks")
    func bootsAndDestinations() throws {
        let shop = try StandInApp()
        let udid = shop.simulator
        try shop.mac.trouble(#"[{"kind": "boot-hangs"}, {"kind": "no-destination"}]"#)
        let child = try shop.mac.start(["xcrun", "simctl", "bootstatus", udid, "-b"])
        #expect(
            child.wait(seconds: 60) {
                (try? shop.mac.trace(["--events"]).contains("hang {")) == true
            }
        )
        #expect(child.isRunning)
        child.kill()
        #expect(try shop.simctl("shutdown", udid).status == 0)
        #expect(try shop.simctl("bootstatus", udid, "-b").status == 0)
        let lost = try shop.test([StandInTests.empty])
        #expect(lost.status == 70)
        #expect(lost.errors.contains("placeholder"))
        #expect(!lost.errors.contains("arch:arm64, id:"))
        for _ in 0..<2 { #expect(try !shop.simctl("list", "devices").output.contains(udid)) }
        #expect(try shop.test([StandInTests.empty]).status == 0)
    }

    @Test("a trace is the same in every folder, whatever the simulators' UDIDs")
    func traces() throws {
        let texts = try (0..<2).map { _ in
            let shop = try StandInApp()
            _ = try shop.test([StandInTests.empty], [], ["TEST_RUNNER_A": "b c"])
            return try shop.mac.trace(["--events", "--name", "$APP=\(shop.app.path)"])
        }
        #expect(texts[0] == texts[1])
        #expect(texts[0].contains(#"TEST_RUNNER_A="b c" xcodebuild test-without-building"#))
        #expect(texts[0].contains("id=<Phone>"))
    }
}
