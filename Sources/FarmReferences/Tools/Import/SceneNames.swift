// Matches pictures of another tool with the scenes of a job. Each tool writes the name of a story
// or page into the file's name with its own separators; letters and digits are always the same.
import FarmCore

/// The scenes of a job, found by the letters and digits of their names.
package struct SceneNames: Sendable {
    /// The scenes by the letters and digits of suite and name together, if these are unique.
    private let scenes: [String: LayoutPlace]
    /// The scenes by the letters and digits of their name alone, if these are unique.
    private let names: [String: LayoutPlace]

    /// Makes an index of a job's scenes from `tests`, the ids of its tests: suites, a slash, a
    /// name.
    package init(_ tests: some Sequence<String>) {
        let places = tests.compactMap { test in
            test.lastIndex(of: "/").map { slash in
                let name = String(test[test.index(after: slash)...])
                return LayoutPlace(cell: nil, suite: String(test[..<slash]), name: name)
            }
        }
        func unique(_ key: (LayoutPlace) -> String) -> [String: LayoutPlace] {
            Dictionary(grouping: places) { Self.words(key($0)) }
                .compactMapValues { $0.count == 1 ? $0.first : nil }
        }
        scenes = unique { $0.suite + $0.name }
        names = unique(\.name)
    }

    /// Returns the scene of a picture, and the tool's words for its viewport and browser; `nil` if
    /// no scene or more than one has its name.
    ///
    /// `button--with-text` of Lost Pixel and `laptop_Button_with_text` of Loki both belong to the
    /// scene `Button/with text`, the second on `laptop`.
    func scene(of picture: VisualTool.Picture) -> (place: LayoutPlace, variant: [String])? {
        let name = Self.words(picture.name)
        let place = scenes[Self.words(picture.suite) + name] ?? scenes[name]
        // Loki's names contain the suite, and so do names with a folder or a story's id.
        let isBare = picture.suite == VisualTool.pages && picture.tool != .loki
        if let place = place ?? (isBare ? names[name] : nil) { return (place, picture.variant) }
        let words = picture.text.split(separator: "_")
        for first in words.indices.dropFirst() {
            let own = Self.words(words[first...].joined())
            guard let place = scenes[own] ?? scenes[VisualTool.pages + own] else { continue }
            let before = words[..<first].joined(separator: "_")
            return (place, picture.tool == .loki ? [before] : picture.variant)
        }
        return nil
    }

    /// Returns the letters and digits of a text, in lower case.
    static func words(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
