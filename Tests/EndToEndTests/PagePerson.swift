// A user with a real Chromium on a coordinator's pages.
import FarmTesting
import Foundation
import Testing

final class PagePerson {
    let browser: TestBrowser
    private let fleet: Fleet

    /// Opens a browser without a login.
    init(_ fleet: Fleet) throws {
        self.fleet = fleet
        browser = try TestBrowser()
    }

    /// Logs in with a token and shows the list of runs.
    convenience init(_ fleet: Fleet, token: String) throws {
        try self.init(fleet)
        try open("/runs")
        try browser.click("#key")
        try browser.press(token + TestBrowser.enter)
        #expect(try browser.waits(for: "location.pathname === '/runs'"))
    }

    /// Logs in by a link of `snapfarm invite`.
    convenience init(_ fleet: Fleet, invitedAs name: String) throws {
        try self.init(fleet)
        let words = ["invite", name, "--data", "state", "--url", fleet.url]
        let made = try fleet.program.run(words)
        try browser.open(made.output.trimmingCharacters(in: .whitespacesAndNewlines))
        try browser.click(".enter button")
        #expect(try browser.waits(for: "location.pathname === '/runs'"))
    }

    func open(_ path: String) throws { try browser.open(fleet.url + path) }

    /// Opens a run's page and marks it; a reload loses the mark.
    func review(_ run: String) throws {
        try open("/runs/\(run)/")
        _ = try browser.text("window.isSamePage = true")
    }

    var isSamePage: Bool {
        get throws { try browser.text("window.isSamePage") == "true" }
    }

    /// Returns a JavaScript expression for the card of a change.
    static func card(_ name: String) -> String {
        """
        [...document.querySelectorAll('.change')].find((card) =>
          card.querySelector('h4').textContent.trim() === '\(name)')
        """
    }

    /// Waits until the card of a change shows this decision and contains these words.
    func sees(_ name: String, _ decision: String, _ words: String = "") throws -> Bool {
        let card = "(\(Self.card(name)))"
        return try browser.waits(
            for: """
                \(card)?.dataset.d === '\(decision)'
                  && \(card).querySelector('.decided').textContent.includes('\(words)')
                """
        )
    }

    /// Waits until the page's notice contains these words.
    func reads(_ words: String) throws -> Bool {
        try browser.waits(
            for: "document.querySelector('#notice').textContent.includes('\(words)')"
        )
    }

    /// Fills the form of a change and presses its button at a moment, in milliseconds since 1970.
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

    /// Sends a POST from the open page; returns the answer's status and body.
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

    /// Returns the token in the forms of the open page.
    func formToken() throws -> String {
        try browser.text("document.querySelector('[name=token]').value")
    }
}
