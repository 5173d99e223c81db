// The settings of a job of the driver `command`. Plans keep their JSON, so no field may be renamed.

/// The settings of a job that runs any test program.
package struct CommandSettings: Hashable, Sendable, Codable {
    /// The command that prints one test case per line on standard output.
    package var discover: String
    /// The command that runs tests.
    ///
    /// `{tests}` stands for quoted words, `{tests-file}` for a file with one test per line; without
    /// either, the tests come on standard input.
    package var run: String
    /// A glob of JUnit XML files, relative to the lease's folder.
    ///
    /// If it is `nil`, each test case is a process of its own, judged by its exit code.
    package var results: String?
    /// The pattern of pictures outside `SNAPFARM_CAPTURE_DIR`, or `nil` if there are none.
    package var captures: CapturePattern?
}

/// The place of a job's pictures, and the test case that makes each of them.
package struct CapturePattern: Hashable, Sendable, Codable {
    /// A glob relative to the lease's folder.
    package var pattern: String
    /// The test case that made a picture, with `{suite}` and `{name}` for the picture's suite and
    /// name, or `nil` if the usual rules for names apply.
    package var test: String?

    init(_ pattern: String, test: String? = nil) {
        self.pattern = pattern
        self.test = test
    }
}
