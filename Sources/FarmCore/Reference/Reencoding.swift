// References of some suites are stored as smaller files of the same pixels. Verdicts do not
// change: other bytes with the same pixels are identical. What it costs is that such a picture can
// no longer be judged by its digest alone.
import Foundation

/// Which new references are made smaller, and how.
package struct Reencoding: Sendable {
    /// A smaller file that decodes to the same pixels; nil where there is none.
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

    /// The bytes that become the reference.
    package func bytes(of id: SnapshotID, _ capture: Data) throws -> Data {
        applies(to: id) ? try smaller(capture) ?? capture : capture
    }
}
