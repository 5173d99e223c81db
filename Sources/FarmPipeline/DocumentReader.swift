// Reads YAML as a tree of nodes, so that every value keeps its line, and collects all mistakes
// instead of stopping at the first. Pipeline files and scenes files are read with it.
import FarmCore
import Yams

/// A value of a document with its line, for callers that do not import the YAML parser.
package typealias DocumentNode = Node

extension DocumentNode {
    /// The line of the value in its file, from 1; 0 if the parser does not know it.
    package var line: Int { mark?.line ?? 0 }

    /// The text of a scalar, possibly empty; `nil` for maps and lists.
    package var scalarText: String? { scalar?.string }
}

/// The entries of a map in a document, with the map's node.
package struct DocumentMap {
    package let node: DocumentNode
    /// The map's name in messages, such as `job unit_test`.
    package let what: String
    private let entries: [String: DocumentNode]

    package init(_ entries: [String: DocumentNode], of node: DocumentNode, what: String) {
        self.node = node
        self.what = what
        self.entries = entries
    }

    package subscript(key: String) -> DocumentNode? { entries[key] }
}

/// A mistake in a document.
package struct DocumentProblem: Hashable, Sendable, Codable {
    package var file: String
    /// The line of the mistake, from 1; 0 for the whole file.
    package var line: Int
    package var code: String
    package var message: String
    package var remedy: String

    package var text: String {
        (line > 0 ? "\(file):\(line): " : "\(file): ") + "\(message) \(remedy)"
    }
}

/// All mistakes of one document.
package struct DocumentErrors: ExplainedError {
    package let problems: [DocumentProblem]

    package init(problems: [DocumentProblem]) { self.problems = problems }

    package var code: String { problems.first?.code ?? "document-invalid" }
    package var message: String { problems.map(\.text).joined(separator: "\n") }
    package var remedy: String { "" }
    package var exit: ExitCode { .invalidInput }
    package var description: String { message }
}

/// Reads values of a document and collects its mistakes.
package struct DocumentReader {
    package let file: String
    package private(set) var problems: [DocumentProblem] = []

    package init(file: String) { self.file = file }

    /// All mistakes found so far, as an error.
    package var errors: DocumentErrors { DocumentErrors(problems: problems) }

    /// Reports a mistake at a node; `lines` are printed below the remedy, to be copied.
    package mutating func report(
        _ node: Node?,
        _ message: String,
        _ remedy: String,
        code: String = "pipeline-invalid",
        lines: [String] = []
    ) {
        report(line: node?.mark?.line ?? 0, message, remedy, code: code, lines: lines)
    }

    /// Reports a mistake at a line.
    ///
    /// Quoted text comes from the file: control characters are escaped, and the middle of a long
    /// text is left out.
    private mutating func report(
        line: Int,
        _ message: String,
        _ remedy: String,
        code: String,
        lines: [String] = []
    ) {
        guard !hasTooManyProblems else { return }
        var problem = DocumentProblem(
            file: file,
            line: line,
            code: code,
            message: Self.plain(message),
            remedy: ([remedy] + lines.map { "    " + $0 }).map(Self.plain).joined(separator: "\n")
        )
        if problems.count == FarmLimits.documentProblemsMax {
            problem.message = "there are more than \(FarmLimits.documentProblemsMax) mistakes."
            problem.remedy = "Mend those above; the rest of the file was not looked at."
        }
        problems.append(problem)
    }

    /// Adds the mistakes of another file that this document refers to.
    package mutating func add(_ errors: DocumentErrors) { problems += errors.problems }

    /// Whether there are so many mistakes that the rest of the document is not read.
    package var hasTooManyProblems: Bool { problems.count > FarmLimits.documentProblemsMax }

    private static func plain(_ text: String) -> String {
        let kept = FarmLimits.documentProblemLettersMax / 2
        let letters = text.unicodeScalars
        guard letters.count > 2 * kept else { return PathBytes.escaped(text) }
        return PathBytes.escaped(String(String.UnicodeScalarView(letters.prefix(kept)))) + " … "
            + PathBytes.escaped(String(String.UnicodeScalarView(letters.suffix(kept))))
    }

    /// Parses a document; returns its root, or reports a problem and returns `nil`.
    package mutating func root(of text: String, what: String) -> Node? {
        guard text.utf8.count <= FarmLimits.pipelineBytesMax else {
            report(
                nil,
                "the file has \(text.utf8.count) bytes.",
                "A \(what) may have \(FarmLimits.pipelineBytesMax)."
            )
            return nil
        }
        do {
            guard let node = try Yams.compose(yaml: text) else {
                report(nil, "the file is empty.", "Write a \(what); see pipelines/quickstart.yaml.")
                return nil
            }
            guard let excess = excess(in: node) else { return node }
            report(node, excess, "A \(what) needs far fewer.")
            return nil
        } catch {
            reportSyntax(error, what: what)
            return nil
        }
    }

    private mutating func reportSyntax(_ error: any Error, what: String) {
        let remedy = "Mend the YAML; indent with spaces, quote texts that hold `: ` or `#`."
        guard let yaml = error as? YamlError else {
            report(nil, "not YAML: \(error).", remedy)
            return
        }
        switch yaml {
        case .scanner(_, let problem, let mark, _), .parser(_, let problem, let mark, _),
            .composer(_, let problem, let mark, _):
            report(line: mark.line, "not YAML: \(problem).", remedy, code: "pipeline-not-yaml")
        case .duplicatedKeysInMapping(let duplicates, let context):
            report(
                line: context.mark.line,
                "the key \(duplicates.map { "\"\($0)\"" }.joined(separator: ", ")) stands twice.",
                "Keep one of them.",
                code: "pipeline-invalid"
            )
        default:
            report(nil, "not YAML: \(yaml).", remedy, code: "pipeline-not-yaml")
        }
    }

    /// Returns a message if the file has too many values or levels, else `nil`.
    private func excess(in root: Node) -> String? {
        var level = [root]
        var visited = 1
        for _ in 0..<FarmLimits.pipelineDepthMax {
            var next: [Node] = []
            for node in level {
                let within: [Node] =
                    switch node {
                    case .mapping(let mapping): mapping.map(\.value)
                    case .sequence(let sequence): Array(sequence)
                    default: []
                    }
                visited += within.count
                guard visited <= FarmLimits.pipelineValuesMax else {
                    return "the file has more than \(FarmLimits.pipelineValuesMax) values, "
                        + "those that aliases repeat among them."
                }
                next += within
            }
            if next.isEmpty { return nil }
            level = next
        }
        return "the file is nested deeper than \(FarmLimits.pipelineDepthMax) levels."
    }

    // MARK: values

    /// Returns the entries of a mapping.
    ///
    /// Reports unknown keys with the nearest known one.
    package mutating func mapping(
        _ node: Node,
        known: [String],
        what: String
    ) -> [String: Node]? {
        guard case .mapping(let mapping) = node else {
            report(node, "\(what) must be a map.", "Write its keys as `key: value`, one a line.")
            return nil
        }
        var entries: [String: Node] = [:]
        for (key, value) in mapping {
            guard !hasTooManyProblems else { return nil }
            guard let name = key.string else {
                report(key, "a key of \(what) is not text.", "Keys are words.")
                continue
            }
            guard known.isEmpty || known.contains(name) else {
                let near = nearest(name, among: known)
                report(
                    key,
                    "unknown key \"\(name)\" in \(what).",
                    near.map { "Did you mean \"\($0)\"?" }
                        ?? "Known keys: \(known.joined(separator: ", "))."
                )
                continue
            }
            entries[name] = value
        }
        return entries
    }

    /// Returns the text of a required key, or reports a problem and returns `nil`.
    package mutating func required(_ key: String, in map: DocumentMap) -> String? {
        guard let value = map[key] else {
            report(map.node, "\(map.what) has no \(key).", "Add `\(key): …`.")
            return nil
        }
        return text(value, what: "\(map.what).\(key)")
    }

    /// Returns the entries of a mapping in the order of the file, with any keys.
    package mutating func orderedMapping(_ node: Node, what: String) -> [(key: Node, value: Node)] {
        guard case .mapping(let mapping) = node else {
            report(node, "\(what) must be a map.", "Write its keys as `key: value`, one a line.")
            return []
        }
        guard !hasTooManyProblems else { return [] }
        return mapping.map { ($0.key, $0.value) }
    }

    package mutating func list(_ node: Node, what: String) -> [Node] {
        guard case .sequence(let sequence) = node else {
            report(node, "\(what) must be a list.", "Write its items as `- item`, one a line.")
            return []
        }
        return hasTooManyProblems ? [] : Array(sequence)
    }

    package mutating func text(_ node: Node, what: String) -> String? {
        guard case .scalar(let scalar) = node, !isNull(node), !scalar.string.isEmpty else {
            report(node, "\(what) must be text.", "Give it one value.")
            return nil
        }
        return scalar.string
    }

    package mutating func integer(
        _ node: Node,
        what: String,
        in range: ClosedRange<Int>
    ) -> Int? {
        guard let value = node.scalar.flatMap({ Int($0.string) }), range.contains(value) else {
            report(
                node,
                "\(what) is \(shown(node)).",
                "It must be a whole number from \(range.lowerBound) to \(range.upperBound)."
            )
            return nil
        }
        return value
    }

    package mutating func number(
        _ node: Node,
        what: String,
        in range: ClosedRange<Double>
    ) -> Double? {
        guard let value = node.scalar.flatMap({ Double($0.string) }), range.contains(value) else {
            report(
                node,
                "\(what) is \(shown(node)).",
                "It must be a number from \(range.lowerBound) to \(range.upperBound)."
            )
            return nil
        }
        return value
    }

    package mutating func boolean(_ node: Node, what: String) -> Bool? {
        switch node.scalar?.string {
        case "true": return true
        case "false": return false
        default:
            report(node, "\(what) is \(shown(node)).", "It must be true or false.")
            return nil
        }
    }

    /// Decodes a text that must be one of an enum's raw values; reports any other text.
    package mutating func word<Word: RawRepresentable & CaseIterable>(
        _ node: Node,
        as type: Word.Type,
        what: String
    ) -> Word? where Word.RawValue == String {
        let known = type.allCases.map(\.rawValue)
        guard let text = text(node, what: what) else { return nil }
        guard let word = Word(rawValue: text) else {
            let near = nearest(text, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
            report(
                node,
                "unknown \(what) \"\(text)\".",
                near + "Known: \(known.joined(separator: ", "))."
            )
            return nil
        }
        return word
    }

    /// Decodes a time with its unit (`500ms`, `30s`, `10m`, `1h`); returns it in seconds.
    package mutating func seconds(_ node: Node, what: String) -> Double? {
        let units: [(String, Double)] = [("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600)]
        let text = node.scalar?.string ?? ""
        for (unit, factor) in units where text.hasSuffix(unit) {
            if let value = Double(text.dropLast(unit.count)), value > 0,
                value * factor <= FarmLimits.timeoutSecondsMax
            {
                return value * factor
            }
        }
        report(
            node,
            "\(what) is \(shown(node)).",
            "Write a time with its unit, such as 30s, 10m or 1h (at most 24h)."
        )
        return nil
    }

    package func isMap(_ node: Node) -> Bool { if case .mapping = node { true } else { false } }

    package func isList(_ node: Node) -> Bool { if case .sequence = node { true } else { false } }

    package func isNull(_ node: Node) -> Bool {
        guard case .scalar(let scalar) = node, scalar.style == .plain else { return false }
        return ["", "~", "null"].contains(scalar.string)
    }

    private func shown(_ node: Node) -> String {
        switch node {
        case .scalar(let scalar): "\"\(scalar.string.prefix(80))\""
        case .mapping: "a map"
        case .sequence: "a list"
        case .alias: "an alias"
        }
    }
}
