// The pin of a publication that a person must commit: a command and a patch, each to copy.
import FarmCore

package struct PagePin: Hashable, Sendable {
    /// The shell command that moves the pin of a work tree.
    package var command: String
    /// The patch of the pin file for `git apply`; empty if there is none.
    package var patch: String

    package init(command: String, patch: String) {
        self.command = command
        self.patch = patch
    }

    /// Returns the content of the page's element `#pin`; empty without a pin.
    static func shown(_ pin: PagePin?, _ text: PageText) -> HTML {
        guard let pin else { return "" }
        // A browser does not show the first line break of a text area.
        let patch: HTML =
            pin.patch.isEmpty
            ? ""
            : """
            <details><summary>\(text.pinPatch)</summary><textarea rows="10" readonly \
            aria-label="\(text.pinPatch)">\n\(pin.patch)</textarea></details>
            """
        return """
            \(text.pinToCommit) <code>\(pin.command)</code> \
            <button type="button" class="copy">\(text.copy)</button>\(patch)
            """
    }
}
