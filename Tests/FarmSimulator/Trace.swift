// A trace of the simulated events, one line each.

/// Prints the events of one seed.
///
/// Without a printer it costs nothing.
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
