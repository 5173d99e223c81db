// What happened, a line each, where somebody wants to read it.

/// Prints the events of one seed; or nothing, and then costs nothing.
package struct Trace: Sendable {
    private let line: (@Sendable (String) -> Void)?

    package static let none = Trace(line: nil)

    package init(line: (@Sendable (String) -> Void)?) { self.line = line }

    func say(_ now: Int64, _ text: @autoclosure () -> String) {
        guard let line else { return }
        let milliseconds = now - Simulation.beginning
        let rest = String(milliseconds % 1000 + 1000).dropFirst()
        line("\(milliseconds / 1000).\(rest) \(text())")
    }
}
