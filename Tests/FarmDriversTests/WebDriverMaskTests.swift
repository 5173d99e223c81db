// Tests of masks in a real browser: masked content is in no capture, wherever it is on the page.
import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

extension WebDriverDriverTests {
    /// Pages with a masked element `#t` in unusual places; the address's fragment is its secret
    /// text.
    private static let places: [(name: String, page: String)] = [
        ("plain", "<p id=t></p><script>fill(t)</script>"),
        ("dialog", "<dialog id=d><p id=t></p></dialog><script>d.showModal(); fill(t)</script>"),
        (
            "popover",
            "<div popover id=p><p id=t></p></div><script>p.showPopover(); fill(t)</script>"
        ),
        (
            "relative",
            "<style>html { position: relative; margin: 10px 0 0 15px }</style><p id=t></p>"
                + "<script>fill(t)</script>"
        ),
        (
            "above",
            "<div style='position: fixed; inset: 0; z-index: 2147483647; background: tan'>"
                + "<p id=t></p></div><script>fill(t)</script>"
        ),
        (
            "turned",
            "<div style='transform: rotate(9deg) scale(0.8)'><div style='position: fixed; top: 5px'>"
                + "<p id=t></p></div></div><script>fill(t)</script>"
        ),
        ("contents", "<p id=t style='display: contents'><b id=b></b></p><script>fill(b)</script>"),
        (
            "overflowing",
            "<p id=t style='width: 20px; white-space: nowrap'></p><script>fill(t)</script>"
        ),
        (
            "open",
            "<span id=h></span><script>h.attachShadow({mode: 'open'}).innerHTML = '<p id=t></p>';"
                + "fill(h.shadowRoot.querySelector('p'))</script>"
        ),
        (
            "closed",
            "<span id=h></span><script>const r = h.attachShadow({mode: 'closed'});"
                + "r.innerHTML = '<p id=t></p>'; fill(r.querySelector('p'))</script>"
        ),
        (
            "declared",
            "<span id=h><template shadowrootmode=open><p id=t></p></template></span>"
                + "<script>fill(h.shadowRoot.querySelector('p'))</script>"
        ),
        (
            "frame",
            "<iframe id=f srcdoc='<p id=t></p>' style='width: 90px; height: 40px; padding: 3px'>"
                + "</iframe><script>f.onload = () => fill(f.contentDocument.querySelector('p'))</script>"
        ),
    ]

    @Test("what is masked is in no capture, wherever it is, and its box is where it is")
    func maskedPlaces() async throws {
        let fill =
            "<script>const fill = (item) => { item.textContent = location.hash; "
            + "item.style.cssText += 'height: 20px; width: 60px; margin: 4px' }</script><body>"
        var scenes = ""
        for place in Self.places {
            for secret in ["111", "842"] {
                scenes +=
                    "  - {suite: s, name: \(place.name)-\(secret), file: \"\(place.name).html#\(secret)\","
                    + " mask: [\"#t\"]}\n"
            }
        }
        let pages = Dictionary(
            uniqueKeysWithValues: Self.places.map {
                ("\($0.name).html", fill + $0.page)
            }
        )
        try await withStage(pages: pages, scenes: scenes) { stage in
            let names = Self.places.flatMap { ["s/\($0.name)-111", "s/\($0.name)-842"] }
            let results = try await stage.run(names)
            #expect(results.count == names.count)
            for (place, result) in zip(Self.places, stride(from: 0, to: names.count, by: 2)) {
                let (one, other) = (results[result], results[result + 1])
                #expect(try one.picture == other.picture, "\(place.name)")
                let boxes = try #require(one.captures.first?.masks, "\(place.name)")
                #expect(boxes == other.captures.first?.masks, "\(place.name)")
                #expect(boxes.count == 1, "\(place.name): \(boxes)")
                let trees = try (one.elements, other.elements)
                #expect(trees.0 == trees.1, "\(place.name)")
                #expect(!trees.0.elements.contains { $0.text.contains("#111") }, "\(place.name)")
            }
            // The margins are 15 + 8 + 4 points, and 10 + 8 because the element's upper one
            // collapses; at two pixels per point.
            #expect(
                results[6].captures.first?.masks == [PixelBox(x: 54, y: 36, width: 120, height: 40)]
            )
        }
    }

    @Test("a mask that matches nothing, or moves, errs its scene, and nothing is kept of it")
    func uselessMasks() async throws {
        let moving =
            "<body><p class=total id=t style='position: fixed'>x</p><script>let n = 0; const step = "
            + "() => { t.style.left = (n++ % 50) + 'px'; requestAnimationFrame(step) }; step()</script>"
        try await withStage(
            pages: ["still.html": "<body><p class=account-number>x", "moving.html": moving],
            scenes: """
                  - {suite: s, name: slip, file: still.html, mask: ["body .acount-number"]}
                  - {suite: s, name: other, file: still.html, mask: ["#unlike"]}
                  - {suite: s, name: moving, file: moving.html, mask: [.total]}

                """
        ) { stage in
            let results = try await stage.run(["s/slip", "s/other", "s/moving"], seconds: 2)
            #expect(
                results.map { $0.problem?.message } == [
                    "nothing on the page matches `body .acount-number` of `mask`; the page has "
                        + "`.account-number`.",
                    "nothing on the page matches `#unlike` of `mask`.",
                    "what is masked moves while it is captured (.total), so nothing was kept.",
                ]
            )
            #expect(results.allSatisfy { $0.captures.isEmpty })
        }
    }
}
