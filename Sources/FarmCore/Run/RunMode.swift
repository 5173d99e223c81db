/// The use of the pictures that a run makes.
package enum RunMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Compares them with the pinned references.
    case verify
    /// Makes them new references, and writes a new pin.
    case record
}
