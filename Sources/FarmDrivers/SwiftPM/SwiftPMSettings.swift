// What a job of the driver `swiftpm` says. Plans keep its JSON: no field is renamed.

/// A Swift package, whose built test program is started directly.
package struct SwiftPMSettings: Hashable, Sendable, Codable {
    /// Folder of the package, relative to the pipeline file's folder.
    package var package: String
}
