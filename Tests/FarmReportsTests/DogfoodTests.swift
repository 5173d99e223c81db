// Tests of a fixed run's pages, which the farm captures itself (`pipelines/dogfood.yaml`).
// SNAPFARM_DOGFOOD names the folder for them; without it, they are written to a temporary folder.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

@Suite("the pages that the farm looks at itself")
struct DogfoodTests {
    @Test("the fixed run's pages are there in each language, with all that they show")
    func pages() throws {
        let asked = ProcessInfo.processInfo.environment["SNAPFARM_DOGFOOD"]
        let scratch = try TemporaryFolder("dogfood")
        let folder = asked ?? scratch.path
        try DogfoodPages(folder: folder).write()
        for language in PageLanguage.allCases {
            for page in DogfoodPages.names {
                let place = "\(folder)/\(language.rawValue)/\(page)"
                let text = try String(contentsOfFile: "\(place)/index.html", encoding: .utf8)
                let files = text.matches(of: /(?:src|href)="([^"?#]+\.(?:png|css|js))"/).map {
                    String($0.1).removingPercentEncoding ?? String($0.1)
                }
                for file in files {
                    let exists = FileManager.default.fileExists(atPath: "\(place)/\(file)")
                    #expect(exists, "\(page) shows \(file), which is not there")
                }
                let hasPictures = ["report", "catalogue", "review"].contains(page)
                #expect(files.count > (hasPictures ? 10 : 1), "\(page)")
            }
        }
    }
}
