// The re-encoding of references: for some suites, a reference is stored as a smaller file of the
// same pixels. Verdicts stay the same, because a capture with other bytes and the same pixels is
// identical. But the picture can no longer be judged by its digest alone.
import Foundation

/// The rule that stores the new references of some suites as smaller files of the same pixels.
package struct Reencoding: Sendable {
    /// An encoder that returns a smaller file of the same pixels, or `nil` if there is none.
    package typealias Encoder = @Sendable (Data) throws -> Data?

    private let suites: [Glob]
    private let smaller: Encoder

    /// Makes the rule for suites that match patterns such as `Checkout*`; `*` also matches `/`.
    package init(suites: [String], smaller: @escaping Encoder) {
        self.suites = suites.map { Glob($0, mode: .text) }
        self.smaller = smaller
    }

    package func applies(to id: SnapshotID) -> Bool {
        !id.isText && suites.contains { $0.matches(id.suite) }
    }

    /// Returns the bytes to store as the reference: those of the capture, or of a smaller file if
    /// the rule applies and there is one.
    package func bytes(of id: SnapshotID, _ capture: Data) throws -> Data {
        applies(to: id) ? try smaller(capture) ?? capture : capture
    }
}
