// The last messages of crashing programs in Swift, C, Python and Go.

/// Finds the line of an output with the cause of a crash.
package enum CrashWords {
    private static let signs = [
        "fatal error:", "Fatal error:", "ssertion failed", "Traceback", "panic:",
    ]

    /// Whether a line has the cause.
    package static func areIn(_ line: String) -> Bool {
        signs.contains { line.contains($0) }
    }
}
