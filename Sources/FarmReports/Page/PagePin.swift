// The pin of a publication where a person must commit it: a command and a patch, each to copy.
import FarmCore

package struct PagePin: Hashable, Sendable {
    /// Moves the pin of a work tree.
    package var command: String
    /// For `git apply`; empty where there is none to show.
    package var patch: String

    package init(command: String, patch: String) {
        self.command = command
        self.patch = patch
    }

    /// What stands in the page's `#pin`; empty without a pin.
    static func shown(_ pin: PagePin?, _ text: PageText) -> HTML {
        guard let pin else { return "" }
        // The first line break of a text area is not shown.
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
