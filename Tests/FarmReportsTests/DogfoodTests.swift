// The pages of a fixed run, for the farm to look at itself (`pipelines/dogfood.yaml`). With
// SNAPFARM_DOGFOOD they are written there; without, they are written and checked.
import FarmCore
import FarmImaging
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("the pages that the farm looks at itself")
struct DogfoodTests {
    @Test("the fixed run's pages are there in each language, with every picture they show")
    func pages() throws {
        let asked = ProcessInfo.processInfo.environment["SNAPFARM_DOGFOOD"]
        let scratch = try TemporaryFolder("dogfood")
        let folder = asked ?? scratch.path
        try DogfoodPages(folder: folder).write()
        for language in PageLanguage.allCases {
            for page in ["report/index.html", "catalogue/index.html"] {
                let path = "\(folder)/\(language.rawValue)/\(page)"
                let text = try String(contentsOfFile: path, encoding: .utf8)
                var pictures = 0
                for part in text.components(separatedBy: "src=\"").dropFirst() {
                    let source = String(part.prefix { $0 != "\"" })
                    guard source.hasSuffix(".png") else { continue }
                    pictures += 1
                    let parent = (path as NSString).deletingLastPathComponent
                    let file = parent + "/" + (source.removingPercentEncoding ?? source)
                    let exists = FileManager.default.fileExists(atPath: file)
                    #expect(exists, "\(page) shows \(source), which is not there")
                }
                #expect(pictures > 10, "\(page)")
            }
        }
    }
}
