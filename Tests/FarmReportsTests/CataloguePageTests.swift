// Tests of the catalogue of a set, with hostile names.
import FarmCore
import FarmReports
import Foundation
import Testing

@Suite("the catalogue of a set")
struct CataloguePageTests {
    private static let cells = [("Phone", "light"), ("Phone", "dark"), ("Pad", "light")].map {
        device,
        appearance in
        let device = Device(name: device, os: "1", width: 10, height: 20, scale: 1)
        let variant = [VariantValue(axis: "appearance", value: appearance)]
        return Cell(
            id: Matrix.cellID(device: device, variant: variant),
            device: device,
            variant: variant
        )
    }

    private static func picture(
        _ cell: Cell,
        _ suite: String,
        _ name: String,
        isSound: Bool = true
    ) throws -> SetCatalogue.Picture {
        let id = try SnapshotID(cell: cell.id, suite: suite, name: name)
        let object = ObjectID(ofBlob: Data(id.text.utf8))
        return SetCatalogue.Picture(
            id: id,
            job: JobName("screens"),
            test: TestID("App/\(suite)/\(name)"),
            file: object.hex,
            thumbnail: isSound
                ? SetCatalogue.Thumbnail(
                    file: object.hex,
                    size: PixelSize(width: 5, height: 10),
                    pictureSize: PixelSize(width: 10, height: 20)
                ) : nil
        )
    }

    private static func catalogue(screens: [String]? = nil) throws -> SetCatalogue {
        var pictures: [SetCatalogue.Picture] = []
        for cell in cells {
            pictures.append(try picture(cell, "CartTests", "testEmpty"))
            pictures.append(try picture(cell, "LoginTests", Fixture.japanese))
        }
        let hostile = "<img src=x onerror=alert(1)>\u{202E}\"&'"
        pictures.append(try picture(cells[0], "CartTests", hostile, isSound: false))
        return SetCatalogue(
            name: "app <b>\(Fixture.quoteWithMark)",
            set: ObjectID(ofBlob: Data("set".utf8)),
            entry: LogEntry(
                entry: ObjectID(ofBlob: Data("entry".utf8)),
                set: nil,
                visible: true,
                seconds: 1_700_000_000,
                title: "1 changed <script>",
                trailers: ["Snapfarm-Recorder": "Ann <a@b>"]
            ),
            cells: cells,
            pictures: pictures,
            screens: screens
        )
    }

    private func page(
        screens: [String]? = nil,
        _ language: PageLanguage = .english
    ) throws -> String {
        let files = CataloguePage.files(
            of: try Self.catalogue(screens: screens),
            language: language
        )
        #expect(files.map(\.path) == ["style.css", "catalogue.js", "index.html"])
        return try #require(files.last).text
    }

    @Test("each screen stands once, with each of its cells, and counts say how many there are")
    func content() throws {
        let page = try page()
        #expect(page.contains("7 pictures of 3 screens in 2 suites"))
        #expect(page.components(separatedBy: "<article").count == 4)
        #expect(page.components(separatedBy: "<figure").count == 8)
        #expect(page.components(separatedBy: "<img").count == 7)
        #expect(page.contains("<h2><bdi>Cart</bdi>") && page.contains("<bdi>testEmpty</bdi>"))
        #expect(page.contains("width=\"5\" height=\"10\"") && page.contains("10×20"))
        #expect(page.contains("data-device=\"Phone\" data-variant=\"dark\""))
        #expect(page.contains("2023-11-14T22:13:20Z") && page.contains("Ann &lt;a@b&gt;"))
        // A picture that cannot be decoded is listed and linked.
        #expect(page.contains("cannot be shown"))
    }

    @Test("no name leaves its text, and nothing is inline or from elsewhere")
    func hostile() throws {
        let page = try page(screens: ["<script>alert(1)</script>"])
        #expect(!page.contains("<script>alert") && !page.contains("<img src=x"))
        #expect(!page.contains("\u{202E}") && !page.contains(" style="))
        #expect(!page.contains("http://") && !page.contains("https://"))
        #expect(!page.contains("unsafe-inline"))
        for part in page.components(separatedBy: "=\"").dropFirst() {
            let value = part.prefix { $0 != "\"" }
            guard value.hasSuffix(".png") else { continue }
            #expect(value.hasPrefix("pictures/") || value.hasPrefix("thumbs/"))
        }
    }

    @Test("screens that should have pictures and have none are listed, under any of their names")
    func coverage() throws {
        let screens = ["Cart/testEmpty", "LoginTests/\(Fixture.japanese)", "Pay/card", "Pay/cash"]
        let page = try page(screens: screens)
        #expect(page.contains("2 of 4 screens have pictures"))
        #expect(page.contains("<li><bdi>Pay/card</bdi></li>"))
        #expect(!page.contains("<li><bdi>Cart"))
        #expect(try self.page(screens: ["Cart/testEmpty"]).contains("1 of 1 screen have pictures"))
        #expect(try !self.page().contains("class=\"covered\""))
    }

    @Test("in Japanese the page says so, and nothing of it is English")
    func japanese() throws {
        let page = try page(screens: ["Pay/card"], .japanese)
        #expect(page.contains("<html lang=\"ja\">") && page.contains("画面カタログ"))
        for word in ["Catalogue", "pictures", "Find", "All devices", "recorded"] {
            #expect(!page.contains(">\(word)"), "\(word)")
        }
    }

    @Test("a host shows it with the way back, other sets, and pictures at its own addresses")
    func hosted() throws {
        var catalogue = try Self.catalogue()
        let other = ObjectID(ofBlob: Data("other".utf8))
        catalogue.others = [
            LogEntry(
                entry: other,
                set: other,
                visible: true,
                seconds: 1_700_000_000,
                title: "2 new <script>",
                trailers: [:]
            )
        ]
        for place in catalogue.pictures.indices {
            catalogue.pictures[place].thumbnail = .init(file: catalogue.pictures[place].file)
        }
        let addresses = PageReview.Addresses(
            files: "/r/files/",
            decisions: "",
            publish: "",
            events: "",
            style: "",
            script: "",
            catalogue: "/r/catalogue/"
        )
        let page = CataloguePage.render(catalogue, addresses: addresses, language: .english)
        #expect(page.contains("<option value=\"\(other.hex)\">"))
        #expect(page.contains("href=\"/r/catalogue/../?lang=en\""))
        #expect(page.contains("src=\"/r/catalogue/catalogue.js\""))
        #expect(page.contains("src=\"/r/catalogue/thumbs/\(catalogue.pictures[0].file).png\""))
        #expect(
            !page.contains("http-equiv=\"Content-Security-Policy\"") && !page.contains("<script>")
        )
    }
}
