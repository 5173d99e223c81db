// The scenes of a web suite: the pages to open, when they are ready, and what to capture.
//
//     scenes:
//       - {suite: Home, name: balance, file: home.html, wait: {selector: "#ready"}}
//       - {suite: Home, name: chart, url: "http://127.0.0.1:8080/", element: "#chart",
//          mask: [".clock"]}
//
// Invariants
//   - Every scene has a name of its own, also on file systems that fold case.
//   - A `file` never leads out of the pipeline file's folder.
import FarmCore
import FarmPipeline
import Foundation

/// A decoded scenes file.
package struct ScenesFile: Hashable, Sendable {
    /// The scenes in the order of the file; at least one.
    package var scenes: [Scene]
    /// The line of each scene in the file.
    package var lines: [TestID: Int]

    /// Decodes the text of a scenes file.
    ///
    /// `file` is the file's path relative to the pipeline file's folder. Messages name it, and the
    /// files of the scenes are relative to its folder.
    ///
    /// - Throws: every mistake found, together.
    package static func decode(_ text: String, file: String) throws(DocumentErrors) -> ScenesFile {
        var decoder = ScenesDecoder(reader: DocumentReader(file: file))
        let scenes = decoder.scenes(text)
        guard decoder.reader.problems.isEmpty else {
            throw DocumentErrors(problems: decoder.reader.problems)
        }
        return ScenesFile(scenes: scenes, lines: decoder.linesOfScenes)
    }
}

struct ScenesDecoder {
    var reader: DocumentReader
    /// The line of each scene, by its name with folded case.
    private var lines: [String: Int] = [:]
    private(set) var linesOfScenes: [TestID: Int] = [:]

    init(reader: DocumentReader) { self.reader = reader }

    mutating func scenes(_ text: String) -> [Scene] {
        guard let root = reader.root(of: text, what: "scenes file"),
            let entries = reader.mapping(root, known: ScenesKeys.top.names, what: "the scenes file")
        else { return [] }
        guard let list = entries["scenes"] else {
            report(root, "the file has no scenes.", "Begin it with `scenes:` and a list.")
            return []
        }
        let items = reader.list(list, what: "scenes")
        if items.isEmpty, reader.problems.isEmpty {
            report(
                list,
                "scenes is empty.",
                "Add one: `- {suite: Home, name: start, file: a.html}`."
            )
        }
        return items.compactMap { scene($0) }
    }

    mutating func report(_ node: DocumentNode, _ message: String, _ remedy: String) {
        reader.report(node, message, remedy, code: "scenes-invalid")
    }

    private mutating func scene(_ node: DocumentNode) -> Scene? {
        guard let entries = reader.mapping(node, known: ScenesKeys.scene.names, what: "a scene")
        else { return nil }
        let suite = required("suite", entries, node)
        let name = required("name", entries, node)
        let page = decodePage(entries, node)
        let wait = entries["wait"].flatMap { decodeWait($0) }
        let fullPage = entries["fullPage"].flatMap { reader.boolean($0, what: "fullPage") }
        let steps = entries["steps"].map { decodeSteps($0) } ?? []
        let cookies = entries["cookies"].map { decodeTexts($0, what: "cookies") } ?? [:]
        let storage = entries["localStorage"].map { decodeTexts($0, what: "localStorage") } ?? [:]
        let element = entries["element"].flatMap { reader.text($0, what: "element") }
        let animations = entries["animations"].flatMap {
            reader.word($0, as: SceneAnimations.self, what: "animations")
        }
        var mask: [String] = []
        if let node = entries["mask"] {
            mask = reader.list(node, what: "mask").compactMap { item in
                reader.text(item, what: "a selector of mask")
            }
        }
        if let element = entries["element"], fullPage == true {
            report(element, "a scene has both element and fullPage.", "Keep one of them.")
        }
        if let cookies = entries["cookies"], case .file? = page {
            report(
                cookies,
                "a page on disk has no cookies.",
                "Write `url` in place of `file`, and `serve` in the job."
            )
        }
        guard let suite, let name, let id = identity(suite, name, node), let page else {
            return nil
        }
        var scene = Scene(
            suite: id.suite,
            name: id.name,
            page: page,
            wait: wait,
            element: element,
            mask: mask,
            fullPage: page == .probe && element == nil ? fullPage ?? true : fullPage,
            steps: steps,
            cookies: cookies,
            localStorage: storage,
            animations: animations ?? .finish
        )
        scene.accessibility = entries["accessibility"].flatMap {
            reader.boolean($0, what: "accessibility")
        }
        linesOfScenes[scene.test] = node.line
        return scene
    }

    private mutating func required(
        _ key: String,
        _ entries: [String: DocumentNode],
        _ node: DocumentNode
    ) -> String? {
        guard let value = entries[key] else {
            report(node, "a scene has no \(key).", "Write `suite`, `name` and `file` or `url`.")
            return nil
        }
        return reader.text(value, what: key)
    }

    /// Returns suite and name as they will stand in file names, or `nil` after reporting a problem.
    private mutating func identity(_ suite: String, _ name: String, _ node: DocumentNode)
        -> SnapshotID?
    {
        do {
            let id = try SnapshotID(cell: .host, suite: suite, name: name)
            let folded = id.text.lowercased()
            if let line = lines[folded] {
                report(
                    node,
                    "the scene \(id.suite)/\(id.name) has the name of the scene of line \(line).",
                    "Names must differ, also without regard to case."
                )
            }
            lines[folded] = node.line
            return id
        } catch {
            report(node, error.message, "Rename the scene.")
            return nil
        }
    }

    // MARK: page and wait

    private mutating func decodePage(_ entries: [String: DocumentNode], _ node: DocumentNode)
        -> ScenePage?
    {
        switch (entries["file"], entries["url"]) {
        case (let file?, nil): return file.scalarText.flatMap { path($0, file) } ?? missing(file)
        case (nil, let url?): return address(url)
        case (nil, nil):
            report(node, "a scene has neither file nor url.", "Name the page it shows.")
        case (_?, _?):
            report(node, "a scene has both file and url.", "Keep one of them.")
        }
        return nil
    }

    private mutating func missing(_ node: DocumentNode) -> ScenePage? {
        if reader.problems.isEmpty { _ = reader.text(node, what: "file") }
        return nil
    }

    private mutating func address(_ node: DocumentNode) -> ScenePage? {
        guard let text = reader.text(node, what: "url") else { return nil }
        if text == ProbePage.name { return .probe }
        if text.hasPrefix("/"), !text.hasPrefix("//") { return .served(text) }
        guard WebAddress(text) != nil else {
            report(
                node,
                "url is \"\(text.prefix(200))\".",
                "Write an http or https address, or `/path` at the server of the job's `serve`; for a "
                    + "page on disk use `file`."
            )
            return nil
        }
        return .url(text)
    }

    /// Returns the page of a scene's `file`, which is relative to the folder of the scenes file, or
    /// `nil` after reporting a problem.
    private mutating func path(_ text: String, _ node: DocumentNode) -> ScenePage? {
        let end = text.firstIndex { $0 == "?" || $0 == "#" } ?? text.endIndex
        var parts = reader.file.pathParts.dropLast().filter { !$0.isEmpty && $0 != "." }
        let file = text[..<end]
        var isInside = !file.isEmpty && !file.isAbsolutePath
        for part in file.pathParts where !part.isEmpty && part != "." {
            if part != ".." {
                parts.append(part)
            } else if parts.popLast() == nil {
                isInside = false
            }
        }
        guard isInside, !parts.isEmpty, !text.contains("\0") else {
            report(
                node,
                "the file \"\(text.prefix(200))\" leads out of the pipeline file's folder.",
                "Name a page below it, relative to the scenes file."
            )
            return nil
        }
        return .file(path: parts.joined(separator: "/"), suffix: String(text[end...]))
    }
}
