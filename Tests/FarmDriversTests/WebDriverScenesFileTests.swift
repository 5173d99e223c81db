// Tests of the scenes file: its valid contents, and an error with a line for every mistake.
import FarmCore
import FarmPipeline
import Foundation
import Testing

@testable import FarmDrivers

@Suite("a scenes file")
struct WebDriverScenesFileTests {
    private func decode(_ text: String, file: String = "app/scenes.yaml") throws -> [Scene] {
        try ScenesFile.decode(text, file: file).scenes
    }

    private func problems(_ text: String, file: String = "app/scenes.yaml") -> [String] {
        do {
            _ = try ScenesFile.decode(text, file: file)
            return []
        } catch {
            return error.problems.map(\.text)
        }
    }

    @Test("the built-in page is captured whole, if the scene does not say otherwise")
    func probe() throws {
        let scenes = try decode(
            """
            scenes:
              - {suite: Renderer, name: probe, url: "snapfarm:probe"}
              - {suite: Renderer, name: screen, url: "snapfarm:probe", fullPage: false}
              - {suite: Renderer, name: card, url: "snapfarm:probe", element: .card}
            """
        )
        #expect(scenes.map(\.page) == [.probe, .probe, .probe])
        #expect(scenes.map(\.fullPage) == [true, false, nil])
        #expect(problems("scenes: [{suite: A, name: b, url: \"snapfarm:other\"}]").count == 1)
        // The page asks for nothing: every address in it is a picture in the page itself.
        let page = ProbePage.address.dropFirst("data:text/html;base64,".count)
        let text = try #require(
            Data(base64Encoded: String(page)).map { String(decoding: $0, as: UTF8.self) }
        )
        #expect(
            text.components(separatedBy: "src=").count
                == text.components(separatedBy: "src=\"data:").count
        )
        #expect(!text.contains("<script") && !text.contains("<link"))
    }

    @Test("every key is read")
    func everyKey() throws {
        let scenes = try decode(
            """
            scenes:
              - suite: Home
                name: balance
                file: pages/home.html?state=rich#top
                wait: {selector: "#ready"}
                element: .card
                mask: [.clock, "#ad"]
              - {suite: Home/Widgets, name: chart, url: "http://127.0.0.1:80/x",
                 wait: {milliseconds: 40}}
              - {suite: Home, name: odd, file: ./a.html, wait: {function: "() => window.ready"}}
            """
        )
        #expect(
            scenes == [
                Scene(
                    suite: "Home",
                    name: "balance",
                    page: .file(path: "app/pages/home.html", suffix: "?state=rich#top"),
                    wait: .selector("#ready"),
                    element: ".card",
                    mask: [".clock", "#ad"]
                ),
                Scene(
                    suite: "Home/Widgets",
                    name: "chart",
                    page: .url("http://127.0.0.1:80/x"),
                    wait: .milliseconds(40),
                    element: nil,
                    mask: []
                ),
                Scene(
                    suite: "Home",
                    name: "odd",
                    page: .file(path: "app/a.html", suffix: ""),
                    wait: .function("() => window.ready"),
                    element: nil,
                    mask: []
                ),
            ]
        )
        #expect(scenes.map(\.test.text) == ["Home/balance", "Home/Widgets/chart", "Home/odd"])
    }

    @Test("all mistakes are reported at once, each with its line")
    func allMistakes() {
        let found = problems(
            """
            scenes:
              - {suite: Home, name: a, fille: a.html}
              - {suite: Home, name: b, file: b.html, url: "http://x/"}
              - {suite: Home, file: c.html}
              - {suite: Home, name: d, file: d.html, wait: {selector: a, milliseconds: 3}}
              - {suite: Home, name: e, url: "ftp://x/"}
              - {suite: Home, name: f, file: f.html, wait: {milliseconds: -1}}
            """
        )
        #expect(
            found.map { String($0.prefix { $0 != " " }) }
                == [2, 2, 3, 4, 5, 6, 7].map {
                    "app/scenes.yaml:\($0):"
                }
        )
        #expect(found.first?.contains("Did you mean \"file\"?") == true)
    }

    @Test(
        "two scenes of one name are refused, also without regard to case",
        arguments: ["balance", "BALANCE"]
    )
    func duplicate(name: String) {
        let found = problems(
            """
            scenes:
              - {suite: Home, name: balance, file: a.html}
              - {suite: Home, name: \(name), file: b.html}
            """
        )
        #expect(found.count == 1)
        #expect(found.first?.contains("app/scenes.yaml:3: ") == true)
        #expect(found.first?.contains("line 2") == true)
    }

    @Test(
        "a file outside the pipeline's folder is refused",
        arguments: ["/etc/passwd", "../../etc/passwd", "a/../../../b", "..", "", "?x"]
    )
    func outside(file: String) {
        #expect(problems("scenes: [{suite: a, name: b, file: \"\(file)\"}]").count == 1)
    }

    @Test("a file may lie beside the scenes file's folder")
    func beside() throws {
        let scenes = try decode("scenes: [{suite: a, name: b, file: ../site/x.html}]")
        #expect(scenes.first?.page == .file(path: "site/x.html", suffix: ""))
    }

    @Test(
        "names that are no file names are refused",
        arguments: ["..", "a/b", "\\u0007"]
    )
    func names(name: String) {
        #expect(problems("scenes: [{suite: a, name: \"\(name)\", file: x.html}]").count == 1)
    }

    @Test(
        "a file without scenes is refused",
        arguments: ["", "scenes: []", "{}", "- 1", "scenes: 3"]
    )
    func empty(text: String) {
        #expect(!problems(text).isEmpty)
    }

    @Test("a mistaken file ends the program as invalid input")
    func exit() {
        let error = #expect(throws: DocumentErrors.self) { try decode("scenes: 3") }
        #expect(error?.exit == .invalidInput)
    }
}
