import FarmCore
import Testing

@Suite("Text for terminals")
struct TerminalTextTests {
    @Test(
        "what moves the cursor or reorders a line is written out",
        arguments: [
            ("plain text", "plain text"),
            ("two\nlines\tand a tab", "two\nlines\tand a tab"),
            ("Xʀ 日本語 🎉", "Xʀ 日本語 🎉"),
            ("\u{1B}[2J", "\\u001b[2J"),
            ("\u{9B}31m", "\\u009b31m"),
            ("a\r\nb", "a\\u000d\nb"),
            ("gnp.\u{202E}txt", "gnp.\\u202etxt"),
            ("\u{200F}\u{2066}\u{061C}", "\\u200f\\u2066\\u061c"),
            ("\u{0}\u{7F}", "\\u0000\\u007f"),
        ]
    )
    func shown(text: String, shown: String) {
        #expect(TerminalText.shown(text) == shown)
    }
}
