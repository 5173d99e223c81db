// What a pipeline file says of a job with `driver: xcodebuild`. Exactly one of `workspace`,
// `project`, `xctestrun` and `testProducts` is given; the first two need `scheme`.

/// An app whose tests Xcode runs on simulators.
package struct XcodeSettings: Hashable, Sendable, Codable {
    /// Paths are relative to the pipeline file's folder.
    package var workspace: String?
    package var project: String?
    package var scheme: String?
    package var testPlan: String?
    /// The build configuration, such as `Debug`; nil: the scheme's.
    package var configuration: String?
    /// What another build has made: an `.xctestrun` file.
    package var xctestrun: String?
    /// What another build has made: an `.xctestproducts` folder.
    package var testProducts: String?
    /// The test targets of this job; empty: all.
    package var targets: [String] = []
    /// Tests that this job leaves out: `Target`, `Target/Class` or `Target/Class/method`.
    package var skip: [String] = []
}
