// The version of this program.

package enum ProgramVersion {
    package static let text = "0.1.0"
}
