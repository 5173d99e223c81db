// The settings of a job of the driver `swiftpm`. Plans keep their JSON, so no field may be renamed.

/// A Swift package, whose built test program is started directly.
package struct SwiftPMSettings: Hashable, Sendable, Codable {
    /// The folder of the package, relative to the pipeline file's folder.
    package var package: String
}
