// The last messages of crashing programs in Swift, C, Python and Go.

/// Recognises the line of a crashed program's output that names the cause.
package enum CrashWords {
    private static let signs = [
        "fatal error:", "Fatal error:", "ssertion failed", "Traceback", "panic:",
    ]

    /// Whether a line of output names the cause of a crash.
    package static func areIn(_ line: String) -> Bool {
        signs.contains { line.contains($0) }
    }
}
