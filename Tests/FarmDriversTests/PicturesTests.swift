// The framework adapters read names only; every vector is a real layout of the framework.
import FarmCore
import FarmDrivers
import Testing

@Suite("pictures of frameworks")
struct PicturesTests {
    @Test("iOSSnapshotTestCase: a triple is one difference, and any part may be missing")
    func failures() {
        let reading = FBPictures.failures([
            "App.LoginTests/diff_testA@3x.png", "App.LoginTests/failed_testA@3x.png",
            "App.LoginTests/reference_testA@3x.png", "App.LoginTests/failed_testB_dark@2x.png",
            "App.LoginTests/notes.txt", "App.LoginTests/testC.png",
        ])
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
    func recorded() {
        let reading = FBPictures.recorded(["A.B/test:@2x.png", "top.png", "A.B/x.txt"])
        #expect(
            reading.captures == [
                CapturedFile(suite: "A.B", name: "test:@2x", path: "A.B/test:@2x.png")
            ]
        )
    }

    @Test("swift-snapshot-testing: an artifact is a failed picture, or the capture when recording")
    func artifacts() {
        let files = ["LoginTests/testA.1.png", "LoginTests/testB.1.txt"]
        #expect(
            PointFreePictures.artifacts(files, areCaptures: false).differences == [
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
            PointFreePictures.artifacts(files, areCaptures: true).captures == [
                CapturedFile(suite: "LoginTests", name: "testA.1", path: "LoginTests/testA.1.png")
            ]
        )
    }

    @Test("matplotlib: only a failed comparison is a difference, and expected pictures never count")
    func matplotlib() {
        let files = [
            "result_images/test_axes/bar-expected.png", "result_images/test_axes/bar.png",
            "result_images/test_axes/pie-expected.png", "result_images/test_axes/pie.png",
            "result_images/test_axes/pie-failed-diff.png", "elsewhere/x.png",
        ]
        let judged = MatplotlibPictures.results(files, areCaptures: false)
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
        let captured = MatplotlibPictures.results(files, areCaptures: true)
        #expect(captured.captures.map(\.name) == ["bar", "pie"])
        #expect(Set(captured.taken) == Set(files.dropLast()))
    }

    @Test("pytest-mpl: a folder with result and baseline is a comparison, a lone result.png is not")
    func pytestMPL() {
        let files = [
            "mpl/tests.test_x.test_a/baseline.png", "mpl/tests.test_x.test_a/result.png",
            "mpl/tests.test_x.test_a/result-failed-diff.png", "mine/result.png",
        ]
        let reading = PytestMPLPictures.results(files, areCaptures: false)
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
        #expect(PytestMPLPictures.results(files, areCaptures: true).captures.count == 1)
    }
}
