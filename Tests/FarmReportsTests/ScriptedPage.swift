// A page in a real browser: steps press its keys and read the result.
import Foundation
import Testing

enum ScriptedPage {
    static let isInstalled = FileManager.default.isExecutableFile(atPath: ExternalTool.browser)
    static let needs: Comment = "needs: apt-get install -y chromium-headless-shell"

    /// Returns the texts that the script `steps` pushes to `said`.
    ///
    /// The script `before` runs before the page's own scripts; `width` is the window's, in pixels.
    static func run(
        _ page: String,
        before: String = "",
        width: Int = 800,
        _ steps: String
    ) throws -> [String] {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("snapfarm-script-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        // In a block, since the page uses these names itself.
        let frame = """
            {
            const said = [];
            const press = (...names) => {
              for (const key of names) (document.activeElement ?? document.body).dispatchEvent(
                new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
            };
            const soon = () => new Promise((done) => setTimeout(done, 50));
            (async () => {
              try { \(steps) } catch (error) { said.push(`failed: ${error.stack}`); }
              document.title = JSON.stringify(said);
            })();
            }
            """
        let file = folder.appendingPathComponent("index.html")
        let text = page.replacing("<head>", with: "<head><script>\(before)</script>")
            .replacing("</body>", with: "<script>\(frame)</script></body>")
        try Data(text.utf8).write(to: file)
        let result = try ExternalTool.run([
            ExternalTool.browser, "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000",
            "--window-size=\(width),900", "--user-data-dir=\(folder.path)/profile", "--dump-dom",
            file.absoluteString,
        ])
        let title = try #require(
            result.output.firstMatch(of: #/<title>(.*?)</title>/#.dotMatchesNewlines()),
            "\(result.output.suffix(2_000))"
        )
        let json = String(title.1).replacing("&lt;", with: "<").replacing("&gt;", with: ">")
            .replacing("&amp;", with: "&")
        return try #require(
            JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String],
            "\(json)"
        )
    }
}
