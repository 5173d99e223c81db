// Tests that everything cited by documents and sources is in this repository, or on the web.
import Foundation
import Testing

@Suite("What the repository cites")
struct CitationTests {
    /// A folder that tests and benchmarks cite; they work without it.
    private static let corpus = "../shared/corpus"

    @Test("nothing cites a folder outside the repository")
    func outside() {
        let folders = ["../shared", "/work/", "/home/", "/root/", "/Users/"]
        for file in Repository.files where file.name != "CitationTests.swift" {
            for folder in folders where file.holds(folder) {
                // A launchd job needs absolute paths.
                if folder == "/Users/", file.path.hasPrefix("deploy/") { continue }
                let mayUseCorpus = ["Tests/", "Benchmarks/"].contains { file.path.hasPrefix($0) }
                let lines = file.lines.filter { line in
                    let line = mayUseCorpus ? line.replacing(Self.corpus, with: "") : line
                    return line.contains(folder)
                }
                for line in lines { Issue.record("\(file.path) cites \(folder): \(line)") }
            }
        }
    }

    @Test("every link of a document leads somewhere")
    func links() {
        var count = 0
        for file in Repository.files
        where file.path.hasSuffix(".md") && !file.path.contains("/Golden/") {
            let inText = file.text.matches(of: /\]\(([^)\s]+)\)/).map(\.1)
            let inMarkup = file.text.matches(of: /src="([^"]+)"/).map(\.1)
            for link in inText + inMarkup where !link.contains(/^[a-z]+:/) {
                count += 1
                if let fault = Self.fault(of: link, in: file.path) {
                    Issue.record("\(file.path) links to \(link): \(fault)")
                }
            }
        }
        #expect(count > 30)
    }

    /// Returns why a relative link is broken, or `nil` if it is not.
    private static func fault(of link: Substring, in document: String) -> String? {
        let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
        let folder = (document as NSString).deletingLastPathComponent
        let path =
            parts[0].isEmpty
            ? document
            : ((Repository.root + "/" + folder + "/" + parts[0]) as NSString).standardizingPath
                .replacing(Repository.root + "/", with: "")
        guard Repository.exists(path) else { return "there is no \(path)" }
        guard parts.count == 2, path.hasSuffix(".md") else { return nil }
        return Document(path).anchors.contains(String(parts[1])) ? nil : "no heading is called so"
    }
}
