// Tests of names and pictures that attack their viewer: a real run, shown in a real Chromium by
// `snapfarm review` and by the report on a disk.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Hostile names and pictures", .serialized)
    struct HostileReviewTests {
        /// Names that mark the page if it inserts them unescaped.
        private static let names = [
            "<img src=x onerror=document.documentElement.dataset.hit=1>",
            "\u{202E}gnp.tset\u{2066}",
            "'\"><script>document.documentElement.dataset.hit=1", "長".repeated(60), "tall",
        ]

        /// Returns a red run with one picture of 1,125×20,000 pixels and others of one pixel.
        private func red() throws -> Project {
            let project = try Project(scenes: Self.names, devices: ["A"])
            try draw(project, shade: 10)
            #expect(try project.run(["--mode", "record"]).status == 0)
            try draw(project, shade: 90)
            #expect(try project.run().status == 1)
            return project
        }

        private func draw(_ project: Project, shade: Int) throws {
            let script = """
                import struct, sys, zlib
                def chunk(name, body):
                    return struct.pack(">I", len(body)) + name + body + struct.pack(
                        ">I", zlib.crc32(name + body))
                for path in sys.argv[2:]:
                    w, h = (1125, 20000) if path.endswith("/tall.png") else (1, 1)
                    rows = b"".join(
                        b"\\0" + bytes([(y // 40 + int(sys.argv[1])) % 256]) * w for y in range(h))
                    header = struct.pack(">IIBBBBB", w, h, 8, 0, 0, 0, 0)
                    with open(path, "wb") as file:
                        file.write(b"\\x89PNG\\r\\n\\x1a\\n" + chunk(b"IHDR", header)
                            + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))
                """
            let files = Self.names.map { project.folder.file("pictures/\($0).png") }
            let drawn = try TestProcess.run(["python3", "-c", script, "\(shade)"] + files)
            #expect(drawn.status == 0, "\(drawn.said)")
        }

        /// Checks that no script ran, nothing is wider than the window, no name reverses its text,
        /// and the tall picture can be viewed.
        private func expectHarmless(_ browser: TestBrowser) throws {
            #expect(try browser.text("document.querySelectorAll('.change').length") == "5")
            #expect(try browser.text("document.documentElement.dataset.hit") == "undefined")
            let wide = "document.documentElement.scrollWidth > innerWidth"
            #expect(try browser.text(wide) == "false")
            let turned = #"/[\u202A-\u202E\u2066-\u2069]/.test(document.body.innerText)"#
            #expect(try browser.text(turned) == "false")
            let tall = """
                [...document.querySelectorAll('.change')].find(
                  (card) => card.querySelector('h4').textContent === 'tall')
                """
            _ = try browser.text("\(tall).scrollIntoView()")
            let picture = "\(tall).querySelector('.current img')"
            #expect(try browser.waits(for: "\(picture).naturalHeight === 20000"))
            #expect(try browser.waits(for: "\(picture).clientWidth > 60"))
            #expect(try browser.waits(for: "\(tall).querySelector('.zoom')"))
            _ = try browser.text("\(tall).querySelector('.zoom').click()")
            #expect(try browser.waits(for: "document.querySelector('dialog[open] canvas')"))
            // It opens at the middle of the part that its card shows.
            #expect(
                try browser.waits(
                    for: "document.querySelector('dialog output').textContent.includes('y 844')"
                )
            )
            #expect(try browser.text("document.documentElement.dataset.hit") == "undefined")
        }

        @Test(
            "nothing runs, nothing overflows, and a very tall picture is shown and zoomed",
            .enabled(if: TestBrowser.isInstalled)
        )
        func harmless() throws {
            let project = try red()
            let browser = try TestBrowser()
            try browser.open("file://" + project.folder.file("snapfarm-out/report/index.html"))
            try expectHarmless(browser)

            let review = try project.program().start(["review", "--no-open"])
            #expect(review.wait(seconds: 60) { review.output.hasSuffix("\n") })
            try browser.open(review.output.trimmingCharacters(in: .newlines))
            try expectHarmless(browser)
            #if os(Linux)
            // A picture of 22 megapixels takes 90 MB in memory, and the page's server does not need
            // to decode it.
            let status = try String(contentsOfFile: "/proc/\(review.pid)/status", encoding: .utf8)
            let peak = try #require(status.firstMatch(of: /VmHWM:\s+([0-9]+) kB/))
            #expect(try #require(Int(peak.1)) < 200_000, "\(peak.0)")
            #endif
            kill(review.pid, SIGINT)
            #expect(review.ending(within: 30).status == 0)
        }
    }
}

extension String {
    fileprivate func repeated(_ count: Int) -> String { String(repeating: self, count: count) }
}
