// One person with a real Chromium at a coordinator's pages.
import FarmTesting
import Foundation
import Testing

final class PagePerson {
    let browser: TestBrowser
    private let fleet: Fleet

    /// Not logged in.
    init(_ fleet: Fleet) throws {
        self.fleet = fleet
        browser = try TestBrowser()
    }

    /// Logged in with a token, at the list of runs.
    convenience init(_ fleet: Fleet, token: String) throws {
        try self.init(fleet)
        try open("/runs")
        try browser.click("#key")
        try browser.press(token + TestBrowser.enter)
        #expect(try browser.waits(for: "location.pathname === '/runs'"))
    }

    /// Logged in by a link of `snapfarm invite`.
    convenience init(_ fleet: Fleet, invitedAs name: String) throws {
        try self.init(fleet)
        let words = ["invite", name, "--data", "state", "--url", fleet.url]
        let made = try fleet.program.run(words)
        try browser.open(made.output.trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.click(".enter button")
        #expect(try browser.waits(for: "location.pathname === '/runs'"))
    }

    func open(_ path: String) throws { try browser.open(fleet.url + path) }

    /// Opens a run's page, and marks it: whatever loads it again loses the mark.
    func review(_ run: String) throws {
        try open("/runs/\(run)/")
        _ = try browser.text("window.isSamePage = true")
    }

    var isSamePage: Bool {
        get throws { try browser.text("window.isSamePage") == "true" }
    }

    /// The card of a change, as an expression.
    static func card(_ name: String) -> String {
        """
        [...document.querySelectorAll('.change')].find((card) =>
          card.querySelector('h4').textContent.trim() === '\(name)')
        """
    }

    /// Waits until the card of a change says how it is decided, and holds these words.
    func sees(_ name: String, _ decision: String, _ words: String = "") throws -> Bool {
        let card = "(\(Self.card(name)))"
        return try browser.waits(
            for: """
                \(card)?.dataset.d === '\(decision)'
                  && \(card).querySelector('.decided').textContent.includes('\(words)')
                """
        )
    }

    /// Waits until the page says something about what was just done.
    func reads(_ words: String) throws -> Bool {
        try browser.waits(
            for: "document.querySelector('#notice').textContent.includes('\(words)')"
        )
    }

    /// Fills the form of a change, and presses its button at a moment: milliseconds since 1970.
    func decide(_ name: String, _ kind: String, _ reason: String, at moment: Int64) throws {
        _ = try browser.text(
            """
            (() => {
              const form = (\(Self.card(name))).querySelector('.about form.decide');
              form.elements.reason.value = '\(reason)';
              setTimeout(() => form.querySelector('[value=\(kind)]').click(),
                \(moment) - Date.now());
            })()
            """
        )
    }

    /// What a POST from the page that is open answers: its status and its body.
    func post(_ address: String, _ fields: String) throws -> String {
        _ = try browser.text(
            """
            (() => {
              window.answer = undefined;
              fetch('\(address)', {
                method: 'POST', body: new URLSearchParams('\(fields)'),
                headers: { Accept: 'application/json' },
              }).then(async (answer) => { window.answer = answer.status + await answer.text(); },
                (error) => { window.answer = String(error); });
            })()
            """
        )
        #expect(try browser.waits(for: "window.answer"))
        return try browser.text("window.answer")
    }

    /// What the forms of the page that is open carry.
    func formToken() throws -> String {
        try browser.text("document.querySelector('[name=token]').value")
    }
}
