// Colour on a terminal, or none. The caller decides whether the terminal gets colour.
import FarmCore

/// Paints text in the sixteen colours that every terminal has, or leaves it plain.
struct Ink {
    let style: TerminalSummary.Style

    func bad(_ text: String) -> String { paint(text, "31") }
    func dim(_ text: String) -> String { paint(text, "2") }

    func state(_ state: RunState, _ text: String) -> String {
        paint(text, state == .passed ? "1;32" : "1;31")
    }

    func verdict(_ verdict: Verdict?, _ text: String) -> String {
        switch verdict {
        case .passed: paint(text, "32")
        case .inherited: dim(text)
        case .flaky, .moved, .new: paint(text, "33")
        default: paint(text, "31")
        }
    }

    private func paint(_ text: String, _ code: String) -> String {
        style == .plain || text.isEmpty ? text : "\u{1B}[\(code)m\(text)\u{1B}[0m"
    }
}
