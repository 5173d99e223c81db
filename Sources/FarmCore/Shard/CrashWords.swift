// What programs say when they die, in the words of Swift and C, Python, and Go.

/// Knows the line of an output that says why its program died.
package enum CrashWords {
    private static let signs = [
        "fatal error:", "Fatal error:", "ssertion failed", "Traceback", "panic:",
    ]

    /// Whether a line says why.
    package static func areIn(_ line: String) -> Bool {
        signs.contains { line.contains($0) }
    }
}
