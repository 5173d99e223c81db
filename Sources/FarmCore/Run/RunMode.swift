/// The use of a run's pictures: they are compared with references, or become references.
package enum RunMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Compares the run's pictures with the pinned references.
    case verify
    /// Makes the run's pictures new references, and writes a new pin.
    case record
}
