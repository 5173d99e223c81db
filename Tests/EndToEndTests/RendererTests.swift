// Tests of a run under another browser than the one that drew its references.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A new browser", .serialized)
    struct RendererTests {
        @Test(
            "tells pictures that are only drawn differently from those that changed, for people too"
        )
        func upgrade() throws {
            let project = try Project(devices: ["A"])
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: site
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 390, height: 300}]
                jobs:
                  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml, probes: ["Renderer/*"],
                    comparison: {policy: exact}}
                """
            )
            try project.folder.write(
                "scenes.yaml",
                """
                scenes:
                  - {suite: Renderer, name: probe, url: "snapfarm:probe"}
                  - {suite: Site, name: plain, file: plain.html}
                  - {suite: Site, name: planted, file: planted.html}
                """
            )
            try project.folder.write("plain.html", Self.page("1,385"))
            try project.folder.write("planted.html", Self.page("1,385"))
            let old = try Self.browser(in: project, "browser-1", flags: "")
            let new = try Self.browser(
                in: project,
                "browser-2",
                flags: "--enable-gpu-rasterization --force-gpu-rasterization --use-gl=angle "
                    + "--use-angle=swiftshader --enable-unsafe-swiftshader --ignore-gpu-blocklist"
            )
            #expect(try project.run(["--mode", "record"], environment: old).status == 0)
            #expect(try project.run([], environment: old).status == 0)
            try project.folder.write("planted.html", Self.page("1,335"))
            let ending = try project.run([], environment: new)
            #expect(ending.status == 1, "\(ending.said)")
            let summary = try project.summary()
            let explained = summary.snapshots.filter(\.isExplained).map(\.name)
            #expect(explained == ["probe", "plain"], "\(ending.said)")
            let cause = try #require(summary.causes?.first)
            #expect(summary.causes?.count == 1)
            #expect(cause.words.hasPrefix("drawn by another renderer: browser "))
            let counts = "2 are only drawn differently, 1 changed, 0 could not be told."
            let page = project.text("snapfarm-out/report/index.html")
            #expect(page.contains(counts) && page.contains("id=\"k-\(cause.id)\""), "\(page)")
            for document in [ending.said, project.text("snapfarm-out/report.md")] {
                #expect(document.contains(counts), "\(document)")
                #expect(document.contains("1 cause explains 2 of 3 changed pictures"))
            }
            let approved = try project.program().run([
                "approve", "--run", "latest", "--select", "cause=drawn by another renderer*",
            ])
            #expect(approved.status == 0, "\(approved.said)")
            let after = try project.run([], environment: new)
            #expect(after.status == 1, "\(after.said)")
            let left = try project.summary().snapshots.filter { $0.verdict != .passed }
            #expect(left.map(\.name) == ["planted"])
        }

        @Test("is what a record run names first, with the machines that draw as the references do")
        func recording() throws {
            let project = try Project(devices: ["A"])
            try project.folder.write(
                "app.yaml",
                """
                version: 1
                name: site
                references: {store: store.git, pin: snapfarm.refs}
                devices: [{name: A, width: 90, height: 60}]
                jobs:
                  pages: {kind: snapshot, driver: webdriver, scenes: scenes.yaml}
                """
            )
            try project.folder.write(
                "scenes.yaml",
                "scenes: [{suite: Site, name: plain, file: plain.html}]\n"
            )
            try project.folder.write("plain.html", Self.page("1,385"))
            let old = try Self.browser(in: project, "browser-1", flags: "")
            let new = try Self.browser(in: project, "browser-2", flags: "", version: "999.1")
            let warning = "draws otherwise than the references of job pages were drawn: browser "
            for environment in [old, old] {
                let ending = try project.run(["--mode", "record"], environment: environment)
                #expect(ending.status == 0 && !ending.said.contains(warning), "\(ending.said)")
            }
            let other = try project.run(["--mode", "record"], environment: new)
            #expect(other.status == 0 && other.errors.contains(warning), "\(other.said)")
            let run = try #require(other.errors.range(of: "\nrun "))
            let advice = try #require(other.errors.range(of: "(--coordinator URL)"))
            #expect(advice.upperBound < run.lowerBound)
            #expect(try !project.run([], environment: new).said.contains(warning))
        }

        private static func page(_ amount: String) -> String {
            """
            <!doctype html><meta charset="utf-8"><body style="font: 14px/1.5 sans-serif">
            <h1>Orders of the week</h1><p>The total of all orders is \(amount) in this week.</p>
            <p style="color: #767676">Deliveries leave on Monday, Wednesday and Friday.</p>
            """
        }

        /// Makes a browser with a name and flags of its own, and perhaps a version; returns the
        /// environment that uses it.
        private static func browser(
            in project: Project,
            _ name: String,
            flags: String,
            version: String? = nil
        ) throws -> [String: String] {
            let known = [
                "/usr/lib/chromium/chromium-headless-shell", "/usr/bin/chromium-headless-shell",
            ]
            let real = try #require(known.first(where: FileManager.default.fileExists(atPath:)))
            let says =
                version.map { "[ \"$1\" = --version ] && echo Chromium \($0) && exit\n" } ?? ""
            try project.folder.write(
                name,
                "#!/bin/sh\n\(says)exec \(real) \"$@\" \(flags)\n"
            )
            let path = project.folder.file(name)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            return ["SNAPFARM_CHROMIUM": path]
        }
    }
}
