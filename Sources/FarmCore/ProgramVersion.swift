// The version of this program, said in one place.

package enum ProgramVersion {
    package static let text = "0.1.0"
}
