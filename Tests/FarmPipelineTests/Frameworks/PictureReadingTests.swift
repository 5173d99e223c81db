// Tests of reading pictures by their names in a profile's places; every vector is a real layout of
// the framework.
import FarmCore
import FarmPipeline
import Testing

@Suite("pictures of frameworks")
struct PictureReadingTests {
    /// Reads files in a folder by the profile's place for that folder.
    private func read(
        _ framework: String,
        in folder: String,
        _ files: [String],
        records: Bool = false
    ) throws -> PictureReading {
        let profile = try #require(FrameworkCatalog.profile(named: framework))
        let place = profile.pictures.first {
            $0.folders.contains(folder) && $0.isRead(records: records)
        }
        return try #require(place).read(files.sorted())
    }

    @Test("iOSSnapshotTestCase: a triple is one difference, and any part may be missing")
    func failures() throws {
        let files = [
            "App.LoginTests/diff_testA@3x.png", "App.LoginTests/failed_testA@3x.png",
            "App.LoginTests/reference_testA@3x.png", "App.LoginTests/failed_testB_dark@2x.png",
            "App.LoginTests/notes.txt", "App.LoginTests/testC.png",
        ]
        let reading = try read("iOSSnapshotTestCase", in: "{failures}", files)
        #expect(
            reading.differences == [
                FrameworkDifference(
                    suite: "App.LoginTests",
                    name: "testA@3x",
                    reference: "App.LoginTests/reference_testA@3x.png",
                    failed: "App.LoginTests/failed_testA@3x.png",
                    diff: "App.LoginTests/diff_testA@3x.png"
                ),
                FrameworkDifference(
                    suite: "App.LoginTests",
                    name: "testB_dark@2x",
                    reference: nil,
                    failed: "App.LoginTests/failed_testB_dark@2x.png",
                    diff: nil
                ),
            ]
        )
        #expect(reading.captures.isEmpty)
    }

    @Test("iOSSnapshotTestCase: what was recorded is named by its folder and file")
    func recorded() throws {
        let reading = try read(
            "iOSSnapshotTestCase",
            in: "{references}_64",
            ["A.B/test:@2x.png", "top.png", "A.B/x.txt"],
            records: true
        )
        #expect(
            reading.captures == [
                CapturedFile(suite: "A.B", name: "test:@2x", path: "A.B/test:@2x.png")
            ]
        )
    }

    @Test("swift-snapshot-testing: an artifact is a failed picture, or the capture when recording")
    func artifacts() throws {
        let files = ["LoginTests/testA.1.png", "LoginTests/testB.1.txt"]
        #expect(
            try read("swift-snapshot-testing", in: "{artifacts}", files).differences == [
                FrameworkDifference(
                    suite: "LoginTests",
                    name: "testA.1",
                    reference: nil,
                    failed: "LoginTests/testA.1.png",
                    diff: nil
                )
            ]
        )
        #expect(
            try read("swift-snapshot-testing", in: "{artifacts}", files, records: true).captures
                == [
                    CapturedFile(
                        suite: "LoginTests",
                        name: "testA.1",
                        path: "LoginTests/testA.1.png"
                    )
                ]
        )
    }

    @Test("matplotlib: only a failed comparison is a difference, and expected pictures never count")
    func matplotlib() throws {
        let files = [
            "result_images/test_axes/bar-expected.png", "result_images/test_axes/bar.png",
            "result_images/test_axes/pie-expected.png", "result_images/test_axes/pie.png",
            "result_images/test_axes/pie-failed-diff.png", "elsewhere/x.png",
        ]
        let judged = try read("matplotlib", in: "{lease}", files)
        #expect(
            judged.differences == [
                FrameworkDifference(
                    suite: "test_axes",
                    name: "pie",
                    reference: "result_images/test_axes/pie-expected.png",
                    failed: "result_images/test_axes/pie.png",
                    diff: "result_images/test_axes/pie-failed-diff.png"
                )
            ]
        )
        let captured = try read("matplotlib", in: "{lease}", files, records: true)
        #expect(captured.captures.map(\.name) == ["bar", "pie"])
        #expect(Set(captured.taken) == Set(files.dropLast()))
    }

    @Test("pytest-mpl: a folder with result and baseline is a comparison, a lone result.png is not")
    func pytestMPL() throws {
        let files = [
            "mpl/tests.test_x.test_a/baseline.png", "mpl/tests.test_x.test_a/result.png",
            "mpl/tests.test_x.test_a/result-failed-diff.png", "mine/result.png",
        ]
        let reading = try read("pytest-mpl", in: "{lease}", files)
        #expect(
            reading.differences == [
                FrameworkDifference(
                    suite: "tests.test_x.test_a",
                    name: "result",
                    reference: files[0],
                    failed: files[1],
                    diff: files[2]
                )
            ]
        )
        let recorded = try read("pytest-mpl", in: "{lease}", files, records: true)
        #expect(recorded.captures.map(\.path) == [files[1]])
        #expect(Set(recorded.taken) == Set(files.dropLast()))
    }

    @Test("pytest-snapshot: its texts are read as the worker passes them, with an ending more")
    func pytestSnapshot() throws {
        let files = [
            "tests/snapshots/test_report/test_summary/summary.txt.png", "tests/test_report.py",
            "snapshots/test_api/test_api/answer.json.png",
        ]
        let recorded = try read("pytest-snapshot", in: "{lease}/tree", files, records: true)
        #expect(
            recorded.captures.map { "\($0.suite)/\($0.name)" }.sorted()
                == ["test_api/test_api/answer.json", "test_report/test_summary/summary.txt"]
        )
        #expect(FrameworkCatalog.profile(named: "pytest-snapshot")?.judge == .farm)
    }

    @Test("pytest-mpl: keeps the pictures of a test only where it failed, and a new one alone")
    func newOfPytestMPL() throws {
        let profile = try #require(FrameworkCatalog.profile(named: "pytest-mpl"))
        // With two pictures, a passing test would look like a difference.
        #expect(!profile.verify.flags.contains("--mpl-results-always"))
        #expect(profile.record.flags.contains("--mpl-results-always"))
        let reading = try read("pytest-mpl", in: "{lease}/pytest-mpl", ["test_x.test_a/result.png"])
        #expect(
            reading.differences == [
                FrameworkDifference(
                    suite: "test_x.test_a",
                    name: "result",
                    reference: nil,
                    failed: "test_x.test_a/result.png",
                    diff: nil
                )
            ]
        )
    }

    @Test("matplotlib: where an expected picture may be a link, its place is said")
    func expected() throws {
        let files = [
            "result_images/t/pie-failed-diff.png", "result_images/t/pie.png",
        ]
        let reading = try read("matplotlib", in: "{lease}", files)
        #expect(
            reading.expected == ["result_images/t/pie.png": "result_images/t/pie-expected.png"]
        )
    }

    @Test("Playwright: a triple is a difference, and what was before is no picture")
    func playwright() throws {
        let files = ["expected", "actual", "diff", "previous"].map { "login-a/a-1-\($0).png" }
        let reading = try read("Playwright", in: "{lease}/test-results", files)
        #expect(
            reading.differences == [
                FrameworkDifference(
                    suite: "login-a",
                    name: "a-1",
                    reference: files[0],
                    failed: files[1],
                    diff: files[2]
                )
            ]
        )
        #expect(Set(reading.taken) == Set(files))
    }

    @Test("jest-image-snapshot: what was received failed, the three in one picture are none")
    func jest() throws {
        let files = ["login.test.js/a-1-snap-received.png", "login.test.js/a-1-snap-diff.png"]
        let reading = try read("jest-image-snapshot", in: "{failures}", files)
        #expect(reading.differences.map(\.failed) == [files[0]])
        #expect(Set(reading.taken) == Set(files))
    }

    @Test("swift-snapshot-testing: what it wrote beside the sources is the capture")
    func besideSources() throws {
        let files = [
            "Tests/AppTests/__Snapshots__/LoginTests/testA.1.png",
            "Tests/AppTests/__Snapshots__/LoginTests/testB.1.txt",
        ]
        let reading = try read("swift-snapshot-testing", in: "{lease}/tree", files, records: true)
        #expect(
            reading.captures == [
                CapturedFile(suite: "LoginTests", name: "testA.1", path: files[0])
            ]
        )
    }

    @Test("SnapshotPreviews: every exported picture is a capture")
    func previews() throws {
        let reading = try read(
            "SnapshotPreviews",
            in: "{lease}",
            ["previews/App_Cart.swift_Dark.json", "previews/App_Cart.swift_Dark.png"]
        )
        #expect(reading.captures.map(\.name) == ["App_Cart.swift_Dark"])
    }

    @Test("Paparazzi: what failed is a difference, and the three side by side are no picture")
    func paparazzi() throws {
        let name = "com.example_CartTest_empty"
        let failures = "app/build/paparazzi/failures/debug"
        let files = ["\(failures)/\(name).png", "\(failures)/delta-\(name).png"]
        let judged = try read("Paparazzi", in: "{lease}", files)
        #expect(judged.differences.map(\.name) == [name])
        #expect(judged.differences.map(\.failed) == [files[0]])
        #expect(Set(judged.taken) == Set(files))
        let recorded = try read(
            "Paparazzi",
            in: "{lease}",
            ["app/src/test/snapshots/images/\(name).png", "app/src/test/snapshots/videos/x.png"],
            records: true
        )
        #expect(recorded.captures.map(\.name) == [name])
    }

    @Test("Roborazzi: the actual picture failed, and the collage is no picture")
    func roborazzi() throws {
        let name = "com.example.MyTest.testMethod"
        let files = ["_actual", "_compare"].map { "ReferenceImages/\(name)\($0).png" }
        let judged = try read("Roborazzi", in: "{lease}", files)
        #expect(judged.differences.map(\.name) == [name])
        #expect(judged.differences.map(\.failed) == [files[0]])
        #expect(Set(judged.taken) == Set(files))
        let own = ["ReferenceImages/\(name).png"]
        let more = own + ["ReferenceImages/\(name).annotated.png"]
        let recorded = try read("Roborazzi", in: "{lease}", more, records: true)
        #expect(recorded.captures.map(\.path) == own)
    }

    @Test("Shot: a picture with its diff is a difference, and one without it is none")
    func shot() throws {
        let folder = "app/build/reports/shot/verification/images"
        let name = "com.example.CartTest_empty"
        let files = ["", "recorded/", "diff_"].map { "\(folder)/\($0)\(name).png" }
        let judged = try read("Shot", in: "{lease}", files + ["\(folder)/same.png"])
        #expect(
            judged.differences == [
                FrameworkDifference(
                    suite: "images",
                    name: name,
                    reference: files[1],
                    failed: files[0],
                    diff: files[2]
                )
            ]
        )
        let recorded = try read(
            "Shot",
            in: "{lease}",
            ["app/screenshots/debug/\(name).png"],
            records: true
        )
        #expect(recorded.captures.map(\.suite) == ["debug"])
    }

    @Test("ComposePreview: of all that is rendered only a picture with a diff is a difference")
    func composePreview() throws {
        let name = "CartPreview_Dark_c838be68_0"
        let files = ["rendered", "diffs"].map { "preview/debug/\($0)/com/shop/CartKt/\(name).png" }
        let same = "preview/debug/rendered/com/shop/CartKt/Same_0.png"
        let judged = try read("ComposePreview", in: "{lease}", files + [same])
        #expect(
            judged.differences == [
                FrameworkDifference(
                    suite: "com/shop/CartKt",
                    name: name,
                    reference: nil,
                    failed: files[0],
                    diff: files[1]
                )
            ]
        )
        let recorded = try read("ComposePreview", in: "{lease}", [same], records: true)
        #expect(recorded.captures.map(\.suite) == ["com/shop/CartKt"])
    }

    @Test("Dropshots: what a screen looks like now lies in the folder of references")
    func dropshots() throws {
        let files = ["reference", "diff"].map { "dropshots/DebugAndroidTest/\($0)/empty_cart.png" }
        let judged = try read("Dropshots", in: "{lease}", files)
        #expect(judged.differences.map(\.failed) == [files[0]])
        #expect(judged.differences.map(\.diff) == [files[1]])
    }

    @Test("Flutter: four files are one difference, and a size that differs leaves two of them")
    func flutter() throws {
        let files = ["masterImage", "testImage", "isolatedDiff", "maskedDiff"].map {
            "test/cart/failures/foo_\($0).png"
        }
        let judged = try read("Flutter", in: "{lease}", files)
        #expect(
            judged.differences == [
                FrameworkDifference(
                    suite: "test/cart",
                    name: "foo",
                    reference: files[0],
                    failed: files[1],
                    diff: files[2]
                )
            ]
        )
        #expect(Set(judged.taken) == Set(files))
        let sizes = try read("Flutter", in: "{lease}", Array(files.prefix(2)))
        #expect(sizes.differences.map(\.diff) == [nil])
    }
}
