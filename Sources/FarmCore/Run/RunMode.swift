/// What a run does with the pictures it makes.
package enum RunMode: String, Hashable, Sendable, Codable, CaseIterable {
    /// Compare with the pinned references.
    case verify
    /// Make new references and move the pin.
    case record
}
