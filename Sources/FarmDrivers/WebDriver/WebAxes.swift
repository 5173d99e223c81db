// Checks that web pages can see the axes of a matrix. An axis that changes nothing gives the same
// picture under two names, and is usually misspelt.
import FarmCore

enum WebAxes {
    /// The axes that the browser itself makes visible to pages.
    static let known = ["appearance", "locale", "orientation"]
    private static let values = [
        "appearance": ["light", "dark"], "orientation": ["portrait", "landscape"],
    ]

    /// Rejects axes that the pages cannot see.
    ///
    /// If axes are Storybook's globals too, rejects only those that are nearly one of the
    /// browser's.
    ///
    /// - Throws: ``WebDriverError``.
    static func check(
        _ job: Job,
        scenes: [Scene],
        isGlobal: Bool
    ) throws(WebDriverError) {
        var seen: Set<VariantValue> = []
        let texts = scenes.flatMap(\.textsWithAxes)
        for value in job.cells.flatMap(\.variant) where seen.insert(value).inserted {
            if known.contains(value.axis) {
                try check(value, of: job)
                continue
            }
            let near = nearest(value.axis, among: known)
            let isUsed = texts.contains { $0.contains("{\(value.axis)}") }
            // An axis that a pipeline has for its other jobs is allowed if this job narrows it to
            // one value.
            let isAlone = job.cells.allSatisfy { $0.value(of: value.axis) == value.value }
            guard isUsed || (near == nil && (isGlobal || isAlone)) else {
                throw .axisUnknown(job: job.name.text, axis: value.axis, near: near)
            }
        }
    }

    private static func check(_ value: VariantValue, of job: Job) throws(WebDriverError) {
        if let known = values[value.axis] {
            guard !known.contains(value.value) else { return }
            throw .valueUnknown(
                job: job.name.text,
                axis: value.axis,
                value: value.value,
                near: nearest(value.value, among: known),
                known: known.joined(separator: ", ")
            )
        }
        guard
            value.value.wholeMatch(of: /[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8})*/) == nil
        else { return }
        throw .valueUnknown(
            job: job.name.text,
            axis: value.axis,
            value: value.value,
            near: nil,
            known: "languages such as ja, pt-BR, zh-Hant"
        )
    }
}

extension Scene {
    /// The texts of a scene in which `{axis}` may stand for a cell's value.
    fileprivate var textsWithAxes: [String] {
        let place: String =
            switch page {
            case .url(let text), .served(let text): text
            case .file(_, let suffix): suffix
            case .story, .probe: ""
            }
        return [place] + cookies.values + localStorage.values
    }

    /// Returns the scene for a cell, with the cell's values for `{axis}`.
    func filled(for cell: Cell) -> Scene {
        func filled(_ text: String) -> String {
            cell.variant.reduce(text) { $0.replacing("{\($1.axis)}", with: $1.value) }
        }
        var scene = self
        switch page {
        case .url(let text): scene.page = .url(filled(text))
        case .served(let text): scene.page = .served(filled(text))
        case .file(let path, let suffix):
            scene.page = .file(path: path, suffix: filled(suffix))
        case .story, .probe: break
        }
        scene.cookies = cookies.mapValues(filled)
        scene.localStorage = localStorage.mapValues(filled)
        return scene
    }
}
