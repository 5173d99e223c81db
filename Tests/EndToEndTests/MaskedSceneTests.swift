import FarmCore
import FarmImaging
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Masked scenes in a browser")
    struct MaskedSceneTests {
        private static let page = """
            <!doctype html><body style="margin: 0; background: red"><div style="height: 90px"></div>
            <dialog id=d open style="position: absolute; left: 10px; top: 70px; margin: 0; border: 0;
              padding: 0"><div id=secret style="width: 30px; height: 12px; background: blue"></div></dialog>
            """

        @Test("a box is painted into the stored picture; a scene that cannot be masked stores none")
        func stored() throws {
            let project = try Project()
            try project.folder.write("page.html", Self.page)
            try project.folder.write(
                "screens.yaml",
                """
                scenes:
                  - {suite: Site, name: whole, file: page.html, fullPage: true, mask: ["#secret"]}
                  - {suite: Site, name: slip, file: page.html, mask: ["#sercet"]}
                """
            )
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: site
                references: {store: store.git}
                devices: [{name: A, width: 80, height: 60, scale: 1}]
                jobs:
                  shots: {kind: snapshot, driver: webdriver, scenes: screens.yaml, new: accept, retries: 0}
                """
            )
            let result = try project.run(["--mode", "record"])
            #expect(result.status == 1, "\(result.said)")
            let captures = project.folder.file("snapfarm-out/captures/A/Site")
            let file = try Data(contentsOf: URL(fileURLWithPath: captures + "/whole.png"))
            let picture = try PNGDecoder.decode(file)
            #expect(picture.size == PixelSize(width: 80, height: 90))
            let pixels = picture.pixels
            func colour(_ x: Int, _ y: Int) -> [UInt8] {
                Array(pixels[(y * 80 + x) * 4..<(y * 80 + x) * 4 + 3])
            }
            #expect(colour(10, 70) == [127, 127, 127] && colour(39, 81) == [127, 127, 127])
            #expect(colour(9, 70) == [255, 0, 0] && colour(40, 81) == [255, 0, 0])
            let slip = try #require(try project.summary().tests.first { $0.verdict == .errored })
            #expect(slip.message.contains("matches `#sercet` of `mask`; the page has `#secret`"))
            #expect(!FileManager.default.fileExists(atPath: captures + "/slip.png"))
        }
    }
}
