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
        var childIds: [String]?
    }

    var nodes: [Node]

    /// The most nodes of a page; a larger tree is cut.
    private static let nodesMax = 5_000
    /// Nodes that say nothing themselves; their children stand in their place.
    private static let passedOver: Set = ["generic", "none", "InlineTextBox", "LineBreak"]
    private static let states = [
        "level", "checked", "pressed", "expanded", "selected", "disabled", "required", "invalid",
        "readonly", "multiselectable", "modal", "busy",
    ]
    private static let roles = ["RootWebArea": "document", "StaticText": "text"]

    /// Returns the tree as text.
    func text() -> String {
        let known = Dictionary(nodes.map { ($0.nodeId, $0) }) { first, _ in first }
        guard let root = nodes.first else { return "" }
        var lines: [String] = []
        // A stack of ids, because a page decides how deep its tree is.
        var waiting = [(id: root.nodeId, depth: 0, parentName: "")]
        var seen: Set<String> = []
        while let next = waiting.popLast(), lines.count < Self.nodesMax {
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
        if lines.count == Self.nodesMax { lines.append("- … cut after \(Self.nodesMax) nodes") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Returns the line of a node, or `nil` for one that says nothing.
    private func line(_ node: Node, below parentName: String) -> String? {
        guard node.ignored != true, let role = node.role?.text, !Self.passedOver.contains(role)
        else { return nil }
        let name = node.name?.text
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
