// A recording pass is expected to fail in iOSSnapshotTestCase and swift-snapshot-testing: both
// write the picture and then fail the test on purpose. Sources and exact texts:
// uber/ios-snapshot-test-case 8.0.0 SwiftSupport.swift; pointfreeco/swift-snapshot-testing 1.18.9
// AssertSnapshot.swift.

package enum RecordingMessages {
    private static let known = [
        "Test ran in record mode. Reference image is now saved.",
        "Record mode is on. Automatically recorded snapshot:",
        "No reference was found on disk. Automatically recorded snapshot:",
        "A new snapshot was automatically recorded.",
    ]

    /// Whether a failure text says only that a picture was recorded.
    ///
    /// Every paragraph that looks like a failure must be one of the messages: a test that recorded
    /// a picture and also failed an assertion has failed.
    package static func isOnlyRecording(_ text: String) -> Bool {
        guard known.contains(where: { text.contains($0) }) else { return false }
        let failures = text.split(separator: "\n").filter { line in
            line.contains("error:") || line.contains("XCTAssert") || line.contains("failed - ")
        }
        return failures.allSatisfy { line in
            known.contains { line.contains($0) }
        }
    }
}
