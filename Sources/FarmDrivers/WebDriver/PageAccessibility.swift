// The accessibility tree of a page as text: what a screen reader is given. One line for each node,
// indented below its parent, as in YAML:
//
//     - document "Shop"
//       - heading "Today" [level=1]
//       - button "Buy" [disabled]
import FarmCore

/// The answer of Chromium's `Accessibility.getFullAXTree`.
struct AccessibilityTree: Decodable, Sendable {
    struct Value: Decodable, Sendable {
        var value: JSONValue?

        /// The value as text, or `nil` for none, an empty text and `false`.
        var text: String? {
            switch value {
            case .text(let text): text.isEmpty || text == "false" ? nil : text
            case .number(let number): Int(exactly: number).map(String.init) ?? "\(number)"
            case .flag(let flag): flag ? "true" : nil
            default: nil
            }
        }
    }
    struct Property: Decodable, Sendable {
        var name: String
        var value: Value
    }
    struct Node: Decodable, Sendable {
        var nodeId: String
        var ignored: Bool?
        var role: Value?
        var name: Value?
        var value: Value?
        var properties: [Property]?
        /// The ids are those of one process of the browser, so also of the page's frames in it.
        var childIds: [String]?
        var backendDOMNodeId: Int?
    }

    var nodes: [Node]

    /// The most lines of a page; a larger tree is cut.
    static let linesMax = 5_000
    /// Nodes that say nothing themselves; their children stand in their place.
    private static let passedOver: Set = ["none", "InlineTextBox", "LineBreak"]
    private static let states = [
        "level", "checked", "pressed", "expanded", "selected", "disabled", "required", "invalid",
        "readonly", "multiselectable", "modal", "busy",
    ]
    private static let frame = "Iframe"
    private static let roles = [
        "RootWebArea": "document", "StaticText": "text", frame: "iframe",
    ]

    /// Whether the page has frames, whose nodes are trees of their own.
    var hasFrames: Bool { nodes.contains { $0.role?.text == Self.frame } }

    /// Adds the tree of a frame below the `<iframe>` with the backend id `owner`.
    mutating func add(_ inner: AccessibilityTree, below owner: Int) {
        guard let root = inner.nodes.first?.nodeId,
            let place = nodes.firstIndex(where: { $0.backendDOMNodeId == owner })
        else { return }
        nodes[place].childIds = [root]
        nodes += inner.nodes
    }

    /// Returns the tree as text.
    func text() -> String {
        let known = Dictionary(nodes.map { ($0.nodeId, $0) }) { first, _ in first }
        guard let root = nodes.first else { return "" }
        var lines: [String] = []
        // A stack of ids, because a page decides how deep its tree is.
        var waiting = [(id: root.nodeId, depth: 0, parentName: "")]
        var seen: Set<String> = []
        while lines.count <= Self.linesMax, let next = waiting.popLast() {
            guard let node = known[next.id], seen.insert(next.id).inserted else { continue }
            var (depth, parentName) = (next.depth, next.parentName)
            if let line = line(node, below: parentName) {
                lines.append(String(repeating: "  ", count: min(depth, 50)) + line)
                depth += 1
                parentName = node.name?.text ?? ""
            }
            for child in (node.childIds ?? []).reversed() {
                waiting.append((child, depth, parentName))
            }
        }
        if lines.count > Self.linesMax {
            lines[Self.linesMax] = "- … cut after \(Self.linesMax) nodes"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the line of a node, or `nil` for one that says nothing.
    private func line(_ node: Node, below parentName: String) -> String? {
        guard node.ignored != true, let role = node.role?.text, !Self.passedOver.contains(role)
        else { return nil }
        let name = node.name?.text
        if role == "generic", name == nil { return nil }
        // The text of a button is its name.
        if role == "StaticText", name == nil || name == parentName { return nil }
        var line = "- \(Self.roles[role] ?? role)"
        if let name { line += " \(JSONText.quoted(name))" }
        for state in Self.states {
            guard let value = node.properties?.first(where: { $0.name == state })?.value.text else {
                continue
            }
            line += value == "true" ? " [\(state)]" : " [\(state)=\(value)]"
        }
        if let value = node.value?.text, value != name { line += ": \(JSONText.quoted(value))" }
        return line
    }
}

extension Browser {
    private struct FrameTree: Decodable, Sendable {
        struct Part: Decodable, Sendable {
            struct Frame: Decodable, Sendable { var id: String }
            var frame: Frame
            var childFrames: [Part]?
        }
        var frameTree: Part
    }
    private struct Owner: Decodable, Sendable { var backendNodeId: Int }

    /// The most frames of a page whose nodes are read.
    private static let framesMax = 100

    /// Returns the accessibility tree of the open page with those of its frames.
    ///
    /// A frame from another site has its own process and stays empty.
    func accessibilityTree() async throws -> AccessibilityTree {
        let name = "Accessibility.getFullAXTree"
        var tree = try await command(name, as: AccessibilityTree.self)
        guard tree.hasFrames else { return tree }
        let page = try await command("Page.getFrameTree", as: FrameTree.self).frameTree
        var waiting = page.childFrames ?? []
        var count = 0
        while count < Self.framesMax, let next = waiting.popLast() {
            count += 1
            waiting += next.childFrames ?? []
            let id: JSONValue = ["frameId": .text(next.frame.id)]
            do {
                let inner = try await command(name, id, as: AccessibilityTree.self)
                let owner = try await command("DOM.getFrameOwner", id, as: Owner.self)
                tree.add(inner, below: owner.backendNodeId)
            } catch let failure as WebDriverFailure where !failure.meansDeadBrowser {
                continue
            }
        }
        return tree
    }
}
