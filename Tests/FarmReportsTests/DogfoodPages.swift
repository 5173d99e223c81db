// The farm's own pages of the fixed run `DogfoodRun`: those of the output folder, and those that a
// host serves. They are written into a folder, so that a browser opens them without a server; only
// the addresses of styles and scripts differ from a host's.
import FarmCore
import FarmReports
import Foundation

/// Writes the pages to a folder: `<language>/report/`, `<language>/catalogue/` and so on, and
/// beside them pages that redirect to the browser's language.
struct DogfoodPages {
    static let names = [
        "report", "catalogue", "review", "runs", "progress", "login", "invitation", "refused",
    ]

    /// The folder's absolute path.
    let folder: String

    func write() throws {
        let run = DogfoodRun()
        let pictures = try run.pictures()
        for language in PageLanguage.allCases {
            let own = "\(folder)/\(language.rawValue)"
            for (path, bytes) in pictures { try put(bytes, "\(own)/\(path)") }
            try put(HTMLReport.render(run.summary, language: language), "\(own)/report/index.html")
            for file in CataloguePage.files(of: run.catalogue, language: language) {
                try put(file.text, "\(own)/catalogue/\(file.path)")
            }
            for (name, page) in served(run, language) {
                try put(page, "\(own)/\(name)/index.html")
            }
            try put(HTMLReport.style, "\(own)/assets/page.css")
            try put(HTMLReport.script, "\(own)/assets/page.js")
            try put(RunsFrame.style, "\(own)/assets/runs.css")
            try put(RunsFrame.script, "\(own)/assets/runs.js")
        }
        for name in Self.names {
            let text = """
                <!doctype html><meta charset="utf-8"><title>\(name)</title><script>
                const language = navigator.language.startsWith("ja") ? "ja" : "en";
                location.replace(`${language}/\(name)/index.html${location.hash}`);
                </script>
                """
            try put(text, "\(folder)/\(name).html")
        }
    }

    /// Returns the pages that a host serves, by name.
    private func served(_ run: DogfoodRun, _ language: PageLanguage) -> [(String, String)] {
        let frame = RunsFrame(language: language, person: "Dana", formToken: "t")
        let nobody = RunsFrame(language: language)
        return [
            (
                "review",
                HTMLReport.render(PageRun(run.summary), review: run.review, language: language)
            ),
            ("runs", run.list.render(in: frame, events: "")),
            ("progress", run.progress.render(in: frame, page: "", events: "")),
            ("login", EntrancePage.login(.wrongToken, back: "/runs", in: nobody)),
            ("invitation", EntrancePage.invitation("佐藤", path: "/invited/x", in: nobody)),
            ("refused", EntrancePage.mistake(.linkOver, in: nobody)),
        ].map { ($0, $1.replacing("\"/assets/", with: "\"../assets/")) }
    }

    private func put(_ text: String, _ path: String) throws { try put(Data(text.utf8), path) }

    private func put(_ bytes: Data, _ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try bytes.write(to: URL(fileURLWithPath: path))
    }
}
