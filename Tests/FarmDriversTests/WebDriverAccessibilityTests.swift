// Tests of the accessibility trees of pages, compared with what WebDriver says of each element.
import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

extension WebDriverDriverTests {
    private static let form = """
        <title>Form</title>
        <main>
        <h1 id="h">Sign up</h1>
        <form aria-labelledby="h">
        <label for="mail">Mail</label><input id="mail" type="email" required placeholder="you@example.org">
        <label>Pass <input type="password" value="secret"></label>
        <fieldset><legend>Plan</legend>
        <label><input type="radio" name="p" checked> Free</label><label><input type="radio" name="p"> Paid</label></fieldset>
        <label><input type="checkbox" checked disabled> News</label>
        <select aria-label="Country"><option>Japan<option selected>France</select>
        <input type="range" min=0 max=10 value=4 aria-label="Volume">
        <button aria-pressed="true" aria-expanded="false">Menu</button>
        <textarea aria-label="Notes" readonly>hello
        you</textarea>
        <details open><summary>More</summary>text inside</details>
        <progress value=".5" aria-label="Upload"></progress>
        </form>
        <div aria-label="a named div"><p>in it</p></div>
        <span title="tip">word</span>
        <p>Hello <b>bold</b> and <a href="#x">a link</a>, end.</p>
        <p>Sign up</p>
        <h2>Same<span>Same</span></h2>
        <section aria-label="Same"><p>Same</p></section>
        <table><caption>Prices</caption><tr><th>Item<th>Price<tr><td>Tea<td>3</table>
        <ul><li>one<li>two</ul>
        <img src="data:," alt="logo"><img alt="" src="data:,"><svg role="img" aria-label="chart" width=9 height=9></svg>
        <div aria-hidden="true">hidden words</div><div style="display:none">gone</div>
        <div role="alert" aria-live="assertive">Saved</div>
        <div role="tablist"><div role="tab" aria-selected="true" tabindex=0>A</div><div role="tab" aria-selected="false">B</div></div>
        </main>
        """
    private static let shadow = """
        <title>Shadow</title>
        <main><x-card><span slot="t">Slotted title</span>default text</x-card>
        <x-button label="Buy"></x-button>
        <div id="o" aria-owns="far">owner</div><p id="far">owned paragraph</p></main>
        <script>
        customElements.define('x-card', class extends HTMLElement { constructor(){ super(); this.attachShadow({mode:'open'}).innerHTML='<section aria-label="Card"><h2><slot name="t"></slot></h2><p><slot></slot></p></section>'; }});
        customElements.define('x-button', class extends HTMLElement { connectedCallback(){ this.attachShadow({mode:'open'}).innerHTML='<button>'+this.getAttribute('label')+'</button>'; }});
        </script>
        """
    private static let frames = """
        <title>Frames</title><main><h1>Outside</h1><iframe title=pay src=inner.html></iframe>
        <iframe title=doc srcdoc="<h2>From srcdoc</h2><iframe title=deep srcdoc='<p>deep words</p>'>
        </iframe>"></iframe><iframe hidden src=inner.html></iframe><p>after</p></main>
        """
    private static let inner = "<title>Inner</title><p>Card number</p><button>Pay</button>"

    @Test("the accessibility tree has the roles and names that WebDriver gives, also in frames")
    func accessibilityTree() async throws {
        let pages = [
            "form.html": Self.form, "shadow.html": Self.shadow, "frames.html": Self.frames,
            "inner.html": Self.inner,
        ]
        let names = ["form", "shadow", "frames"]
        try await withStage(
            pages: pages,
            scenes: names.map { "  - {suite: s, name: \($0), file: \($0).html}\n" }.joined()
        ) { stage in
            var stage = stage
            stage.settings.accessibility = true
            let found = try await stage.run(names.map { "s/\($0)" })
            let browser = try TestBrowser()
            for (name, result) in zip(names, found) {
                let file = try #require(result.captures.first { $0.name == "\(name).aria.yaml" })
                let text = try String(contentsOfFile: file.path, encoding: .utf8)
                try browser.open("file://" + stage.folder.file("\(name).html"))
                let expected = try browser.accessibleElements().sorted()
                #expect(expected.count > 4)
                #expect(Self.elements(of: text).sorted() == expected, "\(text)")
            }
            let last = try #require(found.last?.captures.last?.path)
            #expect(
                try String(contentsOfFile: last, encoding: .utf8) == """
                    - document "Frames"
                      - main
                        - heading "Outside" [level=1]
                        - iframe "pay"
                          - document "Inner"
                            - paragraph
                              - text "Card number"
                            - button "Pay"
                        - iframe "doc"
                          - document
                            - heading "From srcdoc" [level=2]
                            - iframe "deep"
                              - document
                                - paragraph
                                  - text "deep words"
                        - paragraph
                          - text "after"

                    """
            )
        }
    }

    /// Returns role and name of each line that stands for an element.
    private static func elements(of text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
            let words = line.trimmingPrefix { $0 == " " }.dropFirst(2)
            let element = words.prefixMatch(of: /[A-Za-z]+( "[^"]*")?/).map { String($0.0) } ?? ""
            let role = element.prefix { $0 != " " }
            return ["document", "text", "ListMarker", "MenuListPopup"].contains(role)
                ? nil : element.replacing(/^iframe/, with: "Iframe")
        }
    }

    @Test("a page of as many lines as are kept is not cut, one of more says so", arguments: [0, 1])
    func accessibilityCut(more: Int) throws {
        let count = AccessibilityTree.linesMax - 1 + more
        let children = (1...count).map { #"{"nodeId":"\#($0)","role":{"value":"button"}}"# }
        let ids = (1...count).map { "\"\($0)\"" }.joined(separator: ",")
        let root = #"{"nodeId":"0","role":{"value":"main"},"childIds":[\#(ids)]}"#
        let json = #"{"nodes":[\#(([root] + children).joined(separator: ","))]}"#
        let tree = try JSONDecoder().decode(AccessibilityTree.self, from: Data(json.utf8))
        let lines = tree.text().split(separator: "\n")
        #expect(lines.count == AccessibilityTree.linesMax + more)
        #expect((lines.last == "- … cut after 5000 nodes") == (more > 0))
    }

    @Test("axe-core is also in frames of the page's origin; another script is named as the cause")
    func axe() async throws {
        let finder = """
            window.axe = { run: async () => ({ violations: [{ id: "frame", impact: "minor", help: "h",
              nodes: [...document.querySelectorAll("iframe")].filter((item) => item.contentWindow.axe)
                .map((item) => ({ target: [item.title] })) }] }) };
            """
        try await withStage(
            pages: ["frames.html": Self.frames, "inner.html": Self.inner],
            scenes: "  - {suite: s, name: a, url: /frames.html}\n",
            settings: WebDriverSettings(
                scenes: "scenes.yaml",
                serve: WebServerSettings(folder: ".")
            )
        ) { stage in
            var stage = stage
            stage.settings.axe = "axe.js"
            try stage.folder.write("axe.js", finder)
            let found = try await stage.run(["s/a"])[0]
            let file = try #require(found.captures.first { $0.name == "a.axe.yaml" }?.path)
            #expect(
                try String(contentsOfFile: file, encoding: .utf8)
                    == "- frame (minor): : h\n- frame (minor): doc: h\n- frame (minor): pay: h\n"
            )
            for other in ["window.axe = {}", "const ="] {
                try stage.folder.write("axe.js", other)
                let problem = try await stage.run(["s/a"])[0].problem
                #expect(problem?.message.hasPrefix("the script that `axe` names failed") == true)
                #expect(problem?.remedy.contains("axe.min.js") == true)
            }
        }
    }
}
