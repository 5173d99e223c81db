// What a job of the driver `command` says. Plans keep its JSON: no field is renamed.

/// Any test program.
package struct CommandSettings: Hashable, Sendable, Codable {
    /// Prints one test case per line on standard output.
    package var discover: String
    /// `{tests}`: quoted words; `{tests-file}`: a file, one per line; neither: standard input.
    package var run: String
    /// JUnit XML relative to the lease's folder (a glob is allowed).
    ///
    /// Nil: each test case is a process of its own, judged by its exit code.
    package var results: String?
    /// Pictures beside those that lie in `SNAPFARM_CAPTURE_DIR`.
    package var captures: CapturePattern?
}

/// Where a job's pictures are, and whose they are.
package struct CapturePattern: Hashable, Sendable, Codable {
    /// A glob relative to the lease's folder.
    package var pattern: String
    /// The test case that made a picture: a text in which `{suite}` and `{name}` stand for the
    /// picture's; nil: the picture's name says it in another way.
    package var test: String?

    init(_ pattern: String, test: String? = nil) {
        self.pattern = pattern
        self.test = test
    }
}
