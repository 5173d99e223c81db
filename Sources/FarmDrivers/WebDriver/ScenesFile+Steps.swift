// Decodes the parts of a scene between its opening and its capture: waits, steps, cookies.
import FarmCore
import FarmPipeline

extension ScenesDecoder {
    mutating func decodeWait(_ node: DocumentNode) -> SceneWait? {
        let known = ScenesKeys.wait.names
        guard let entries = reader.mapping(node, known: known, what: "wait") else { return nil }
        guard entries.count == 1, let entry = entries.first else {
            report(
                node,
                "wait must hold exactly one of \(known.joined(separator: ", ")).",
                "Write for example `wait: {selector: \"#ready\"}`."
            )
            return nil
        }
        switch entry.key {
        case "selector":
            return reader.text(entry.value, what: "wait.selector").map { .selector($0) }
        case "function":
            return reader.text(entry.value, what: "wait.function").map { .function($0) }
        case "network":
            return milliseconds(entry.value, what: "wait.network")
        default:
            return reader.integer(
                entry.value,
                what: "wait.milliseconds",
                in: 0...ScenesKeys.millisecondsMax
            )
            .map { .milliseconds($0) }
        }
    }

    private mutating func milliseconds(_ node: DocumentNode, what: String) -> SceneWait? {
        guard let seconds = reader.seconds(node, what: what) else { return nil }
        guard seconds * 1000 <= Double(ScenesKeys.millisecondsMax) else {
            report(node, "\(what) is longer than 60s.", "Write for example 500ms.")
            return nil
        }
        return .network(milliseconds: Int((seconds * 1000).rounded()))
    }

    mutating func decodeSteps(_ node: DocumentNode) -> [SceneStep] {
        let items = reader.list(node, what: "steps")
        if items.count > ScenesKeys.stepsMax {
            report(node, "a scene has \(items.count) steps.", "At most \(ScenesKeys.stepsMax).")
        }
        return items.prefix(ScenesKeys.stepsMax).compactMap { decodeStep($0) }
    }

    private mutating func decodeStep(_ node: DocumentNode) -> SceneStep? {
        let known = ScenesKeys.step.names
        guard let entries = reader.mapping(node, known: known, what: "a step") else { return nil }
        guard entries.count == 1, let (key, value) = entries.first else {
            report(
                node,
                "a step must hold exactly one of \(known.joined(separator: ", ")).",
                "Write for example `- click: \"#menu\"`, each step as an item of its own."
            )
            return nil
        }
        switch key {
        case "click": return reader.text(value, what: "click").map { .click($0) }
        case "hover": return reader.text(value, what: "hover").map { .hover($0) }
        case "type": return decodeType(value)
        case "key": return decodeKey(value)
        case "scroll":
            guard let text = reader.text(value, what: "scroll") else { return nil }
            return Int(text).map { .scrollDown(points: max(0, $0)) } ?? .scroll(to: text)
        default: return decodeWait(value).map { .wait($0) }
        }
    }

    private mutating func decodeType(_ node: DocumentNode) -> SceneStep? {
        guard
            let entries = reader.mapping(node, known: ScenesKeys.typing.names, what: "type"),
            let text = reader.required("text", in: DocumentMap(entries, of: node, what: "type"))
        else { return nil }
        return .type(into: entries["into"].flatMap { reader.text($0, what: "into") }, text: text)
    }

    private mutating func decodeKey(_ node: DocumentNode) -> SceneStep? {
        guard let word = reader.text(node, what: "key") else { return nil }
        guard let key = SceneKey(word) else {
            let near = nearest(word, among: SceneKey.names).map { "Did you mean \($0)? " } ?? ""
            report(
                node,
                "unknown key \"\(word)\".",
                near + "Known: single letters, \(SceneKey.names.joined(separator: ", "))."
            )
            return nil
        }
        return .key(key)
    }

    /// Decodes a map from names to texts; reports entries that are no text.
    mutating func decodeTexts(_ node: DocumentNode, what: String) -> [String: String] {
        var texts: [String: String] = [:]
        for (key, value) in reader.orderedMapping(node, what: what) {
            guard let name = key.scalarText, !name.isEmpty, let text = value.scalarText else {
                report(value, "an entry of \(what) is not text.", "Write `name: value`.")
                continue
            }
            texts[name] = text
        }
        return texts
    }
}
