// The re-encoding of references: for some suites, a reference is stored as a smaller file of the
// same pixels. Verdicts stay the same, because a capture with other bytes and the same pixels is
// identical. But the picture can no longer be judged by its digest alone.
import Foundation

/// The suites whose new references are made smaller, and the encoder.
package struct Reencoding: Sendable {
    /// Returns a smaller file that decodes to the same pixels, or `nil` if there is none.
    package typealias Encoder = @Sendable (Data) throws -> Data?

    private let suites: [Glob]
    private let smaller: Encoder

    /// `suites` are patterns of suite names (`Checkout*`); `*` also matches `/`.
    package init(suites: [String], smaller: @escaping Encoder) {
        self.suites = suites.map { Glob($0, mode: .text) }
        self.smaller = smaller
    }

    package func applies(to id: SnapshotID) -> Bool {
        suites.contains { $0.matches(id.suite) }
    }

    /// Returns the bytes that become the reference.
    package func bytes(of id: SnapshotID, _ capture: Data) throws -> Data {
        applies(to: id) ? try smaller(capture) ?? capture : capture
    }
}
