// Limits of alternates, companions and element trees.

extension FarmLimits {
    /// Alternates of one reference.
    ///
    /// A picture that is right in more than five ways shows chance, and an ignored region says that
    /// better. Each alternate costs one more comparison of a picture that matches nothing.
    package static let alternatesPerPictureMax = 4
    /// The most bytes of one companion as it is kept.
    package static let companionBytesMax = 256 << 10
    /// The most bytes of an element tree as JSON.
    package static let elementsBytesMax = 2 << 20
    /// The most elements of a tree.
    package static let elementsMax = 5_000
    /// The most properties whose values a tree lists.
    package static let elementPropertiesMax = 64
    /// The most bytes of one text in a tree: a selector, a value, or the text of an element.
    package static let elementTextBytesMax = 800
    /// The most changes of elements that are kept of one picture.
    package static let elementChangesMax = 16
}
