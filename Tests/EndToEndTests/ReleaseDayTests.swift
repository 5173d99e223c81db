import FarmCore
import FarmLedger
import FarmReports
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Comparing releases", .serialized)
    struct ReleaseDayTests {
        private static func rows(_ document: String) throws -> [[String: Any]] {
            try ComparePictures.object(document)["pairs"] as? [[String: Any]] ?? []
        }

        private static func reg(_ day: ReleaseDay) throws -> RegJSON {
            try JSONDecoder().decode(RegJSON.self, from: Data(day.file("reg.json").utf8))
        }

        @Test("two tags differ in nine pictures, and of each the document says who accepted it")
        func document() throws {
            let day = try ReleaseDay()
            let ending = try day.compare("v5.1", "v5.2", "--json")
            #expect(ending.status == 1, "\(ending.said)")
            let document = try ComparePictures.object(ending.output)
            let totals = try #require(document["totals"] as? [String: Int])
            #expect(totals["pairs"] == 240 && totals["different"] == 9, "\(totals)")
            // The unreadable screen is among the equal ones: what has one Git id is not read.
            #expect(totals["identicalBytes"] == 231 && totals["broken"] == 0, "\(totals)")
            var never: [String] = []
            for row in try Self.rows(ending.output) {
                let acceptance = try #require(row["acceptance"] as? [String: Any])
                guard acceptance["accepted"] as? Bool == true else {
                    never.append(try #require(row["path"] as? String))
                    #expect(acceptance["run"] as? String == "r-recorded")
                    continue
                }
                #expect(acceptance["who"] as? String == "Ben <ben@example.org>")
                #expect(acceptance["when"] as? String == "2026-09-21T14:13:20Z")
                #expect(acceptance["run"] as? String == "r-approved")
                #expect(acceptance["pullRequest"] as? String == "#412")
                #expect(acceptance["reason"] as? String == "wider <buttons>")
            }
            #expect(never.sorted() == day.neverAccepted)
            let pictures = try ComparePictures()
            if ComparePictures.hasJSONSchema {
                #expect(try pictures.schemaErrors(ending.output, "#").isEmpty)
            }
        }

        @Test("the page shows the changes in groups, names both releases, and every file is there")
        func page() throws {
            let day = try ReleaseDay()
            let ending = try day.compare("v5.1", "v5.2", "--report", "out")
            #expect(ending.status == 1, "\(ending.said)")
            #expect(ending.output.hasSuffix(" 9 different; 2 never accepted\n"))
            let page = try day.file("index.html")
            #expect(page.contains("<title>comparison: v5.1 → v5.2</title>"))
            #expect(page.contains("3 changes in 9 pictures"))
            #expect(page.contains("240 pictures: 9 changed, 231 equal; 2 never accepted."))
            #expect(page.contains("Ben, 2026-09-21 14:13 UTC, run r-approved, #412"))
            #expect(page.contains("<q><bdi>wider &lt;buttons&gt;</bdi></q>"))
            #expect(page.contains("recorded: snapfarm run --mode record"))
            #expect(page.components(separatedBy: "data-d=\"never\"").count == 2)
            #expect(page.contains("data-decided=\"never\">Never accepted <b>1</b>"))
            for word in [
                "snapfarm approve", "snapfarm review", "class=\"tick\"", "id=\"bar\"", "tests",
                "This run",
            ] {
                let body = page.replacing(/<(style|script)>(?s:.*?)<\/(style|script)>/, with: "")
                #expect(!body.contains(word), "\(word)")
            }
            let links = page.matches(of: /(?:src|href)="([^"#]+)"/).map { String($0.1) }
            #expect(links.count > 2 * ReleaseDay.changed)
            for link in Set(links) {
                let path = try #require(link.removingPercentEncoding)
                #expect(
                    FileManager.default.fileExists(atPath: day.project.main + "/out/" + path),
                    "\(path)"
                )
            }
        }

        @Test("reg.json has every picture in exactly one list, in the shape of reg-suit")
        func reg() throws {
            let day = try ReleaseDay()
            _ = try day.compare("v5.1", "v5.2", "--report", "out", "--quiet")
            let reg = try Self.reg(day)
            #expect(reg.failedItems.count == ReleaseDay.changed && reg.passedItems.count == 231)
            #expect(reg.newItems.isEmpty && reg.deletedItems.isEmpty)
            #expect(reg.diffItems == reg.failedItems)
            #expect(reg.expectedItems == (reg.failedItems + reg.passedItems).sorted())
            #expect(reg.actualItems == reg.expectedItems)
            for item in reg.failedItems {
                for folder in [reg.actualDir, reg.expectedDir, reg.diffDir] {
                    let path = "\(day.project.main)/out/\(folder)/\(item)"
                    #expect(FileManager.default.fileExists(atPath: path), "\(path)")
                }
            }
            // A second report takes the first one's place.
            let other = try day.compare("v5.2", "v5.2", "--report", "out")
            #expect(other.status == 0, "\(other.said)")
            #expect(try Self.reg(day).failedItems.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: day.project.main + "/out/actual"))
            #expect(try day.file("index.html").contains("No picture differs."))
        }

        @Test("refs diff writes the same page, and the page can be Japanese")
        func referencesDiff() throws {
            let day = try ReleaseDay()
            _ = try day.compare("v5.1", "v5.2", "--report", "out", "--quiet")
            let page = try day.file("index.html")
            let diff = try day.project.refs("diff", "v5.1", "v5.2", "--report", "out")
            #expect(diff.status == 0, "\(diff.said)")
            #expect(diff.output.hasSuffix("9 changed\n"), "\(diff.output)")
            #expect(try day.file("index.html") == page)
            let words = ["v5.1", "--report", "out", "--language", "ja", "--exit-code"]
            let japanese = try day.project.program(in: "main").run(["refs", "diff"] + words)
            #expect(japanese.status == 1, "\(japanese.said)")
            let shown = try day.file("index.html")
            #expect(shown.contains("承認なし") && shown.contains("snapfarm.refs"))
        }

        @Test("a folder, a pin file and a set id are sides too, and a path comes first")
        func kinds() throws {
            let day = try ReleaseDay()
            let exported = try day.project.refs("export", "pictures", "--set", "v5.2")
            #expect(exported.status == 0, "\(exported.said)")
            let folder = try day.compare("v5.1", "pictures", "--quiet")
            #expect(folder.status == 65, "\(folder.said)")
            let counts = "227 the same bytes, 9 different, 4 could not be compared\n"
            #expect(folder.output == "240 pairs: " + counts, "a folder has no Git ids")
            let pin = try day.compare("v5.1", "snapfarm.refs", "--quiet")
            #expect(
                pin.output == "240 pairs: 231 the same bytes, 9 different; 2 never accepted\n"
            )
            let sets = try day.project.sets()
            for set in sets { #expect(try day.compare(set, set).status == 0) }
            try day.project.folder.write("main/v5.1/a.png", Project.png(shade: 1))
            let path = try day.compare("v5.1", "v5.1", "--quiet")
            #expect(path.output == "1 pair: 1 the same bytes\n")
        }

        @Test(
            "opened from a disk, the page shows only what was never accepted on demand",
            .enabled(if: TestBrowser.isInstalled, "needs: apt-get install -y chromium-driver")
        )
        func filter() throws {
            let day = try ReleaseDay()
            _ = try day.compare("v5.1", "v5.2", "--report", "out", "--quiet")
            let browser = try TestBrowser()
            try browser.open("file://\(day.project.main)/out/index.html")
            let seen = "document.querySelectorAll('.change:not([hidden])').length"
            #expect(try browser.text(seen) == "3")
            try browser.click(".chip[data-decided=never]")
            #expect(try browser.waits(for: "\(seen) === 1"))
            let loaded = "document.querySelector('.change:not([hidden]) img').naturalWidth"
            #expect(try browser.waits(for: "\(loaded) > 0"))
        }

        @Test("a decision of this machine counts where the journal has no approval")
        func decisions() async throws {
            let day = try ReleaseDay()
            let picture = day.neverAccepted[0]
            let decision = Decision(
                kind: .accepted,
                pipeline: "scooter",
                snapshot: try #require(SnapshotID(exactly: String(picture.dropLast(4)))),
                capture: Digest(of: Project.png(shade: 200, width: 6, height: 12)),
                reference: nil,
                reason: "seen",
                who: "Cy",
                when: 1_790_000_001_000,
                run: "r-recorded"
            )
            let data = day.project.main + "/.snapfarm"
            try FileManager.default.createDirectory(
                atPath: data,
                withIntermediateDirectories: true
            )
            let ledger = try SQLiteLedger(path: data + "/ledger.sqlite")
            try await ledger.add([decision])
            try ledger.close()
            let rows = try Self.rows(day.compare("v5.1", "v5.2", "--json").output)
            let row = try #require(rows.first { $0["path"] as? String == picture })
            let acceptance = try #require(row["acceptance"] as? [String: Any])
            #expect(acceptance["accepted"] as? Bool == true)
            #expect(acceptance["who"] as? String == "Cy")
            #expect(acceptance["when"] as? String == "2026-09-21T14:13:21Z")
        }

        @Test("the history of one picture is a page with its pictures")
        func history() throws {
            let day = try ReleaseDay()
            let picture = day.neverAccepted[0]
            let ending = try day.project.refs("log", picture, "--report", "out")
            #expect(ending.status == 0, "\(ending.said)")
            let page = try day.file("index.html")
            let links = page.matches(of: /src="([^"]+)"/).map { String($0.1) }
            #expect(links.count == 2)
            for link in links {
                let file = "\(day.project.main)/out/\(link)"
                #expect(FileManager.default.fileExists(atPath: file), "\(link)")
            }
            #expect(page.contains("run r-recorded") && page.contains("first import"))
        }

        @Test("a name that is neither path nor reference set says what was tried")
        func unknown() throws {
            let day = try ReleaseDay()
            let ending = try day.compare("v5.1", "v9.9")
            #expect(ending.status == 65, "\(ending.said)")
            let said = "v9.9: nothing is there, and it names no reference set:"
            #expect(ending.errors.contains(said), "\(ending.said)")
            let place = try TemporaryFolder("no-pipeline")
            let without = try Program(folder: place.path).run(["compare", "a", "b"])
            #expect(without.status == 65)
            #expect(without.errors.contains("there is no pipeline file with references"))
        }
    }
}
