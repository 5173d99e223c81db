// The settings of a job with `driver: xcodebuild`. Exactly one of `workspace`, `project`,
// `xctestrun` and `testProducts` is given; the first two need `scheme`.

/// The settings of an app whose tests Xcode runs on simulators.
package struct XcodeSettings: Hashable, Sendable, Codable {
    /// The path of the workspace, or `nil` if the job names none.
    ///
    /// All paths are relative to the pipeline file's folder.
    package var workspace: String?
    package var project: String?
    package var scheme: String?
    package var testPlan: String?
    /// The build configuration, such as `Debug`, or `nil` for the scheme's.
    package var configuration: String?
    /// An `.xctestrun` file that another build has made.
    package var xctestrun: String?
    /// An `.xctestproducts` folder that another build has made.
    package var testProducts: String?
    /// The test targets of this job; empty for all.
    package var targets: [String] = []
    /// Tests that this job leaves out: `Target`, `Target/Class` or `Target/Class/method`.
    package var skip: [String] = []
}
