// Matches pictures of another tool with the scenes of a job. Each tool writes the name of a story or page
// into the file's name with other separators; letters and digits are the same in all of them.
import FarmCore

/// The scenes of a job, found by the letters and digits of their names.
package struct SceneNames: Sendable {
    /// By the words of suite and name together.
    private let scenes: [String: LayoutPlace]
    /// By the words of the name, where no other scene has that name.
    private let names: [String: LayoutPlace]

    /// `tests` are ids of a job's tests: suites, a slash, a name.
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

    /// The scene of a picture, and how the tool calls its viewport and browser; `nil` where no scene
    /// or more than one has its name.
    ///
    /// `button--with-text` of Lost Pixel and `laptop_Button_with_text` of Loki are both the scene
    /// `Button/with text`, the second on `laptop`.
    func scene(of picture: VisualTool.Picture) -> (place: LayoutPlace, variant: [String])? {
        let name = Self.words(picture.name)
        let place = scenes[Self.words(picture.suite) + name] ?? scenes[name]
        // Loki's names hold the suite, and so do those with a folder or a story's id.
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

    /// Letters and digits, lowercase.
    static func words(_ text: String) -> String {
        text.lowercased().filter { $0.isLetter || $0.isNumber }
    }
}
