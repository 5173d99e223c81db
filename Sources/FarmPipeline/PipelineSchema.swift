// The JSON Schema of pipeline files, made from the decoder's own list of keys. It lies in
// docs/schema/pipeline.schema.json for editors; a test keeps the two equal.
import FarmCore

/// The JSON Schema (draft 2020-12) of a pipeline file.
package enum PipelineSchema {
    /// The schema's text, ending with a newline.
    package static var text: String { render(.object(document), depth: 0) + "\n" }

    /// JSON with its keys in the order written here: a schema is read by people.
    private indirect enum JSON {
        case text(String)
        case number(Double)
        case flag(Bool)
        case list([JSON])
        case object([(String, JSON)])
    }

    private static var document: [(String, JSON)] {
        [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("snapfarm pipeline")),
        ] + closed(PipelineKeys.top, required: ["version", "jobs"], property: top)
    }

    /// An object that holds these keys and no other.
    private static func closed(
        _ keys: [String],
        required: [String] = [],
        property: (String) -> JSON
    ) -> [(String, JSON)] {
        var parts: [(String, JSON)] = [("type", .text("object"))]
        if !required.isEmpty { parts.append(("required", .list(required.map { .text($0) }))) }
        parts.append(("properties", .object(keys.map { ($0, property($0)) })))
        parts.append(("additionalProperties", .flag(false)))
        return parts
    }

    private static func top(_ key: String) -> JSON {
        switch key {
        case "version": .object([("const", .number(1))])
        case "references":
            .object(
                closed(PipelineKeys.references, required: ["store"]) { key in
                    switch key {
                    case "renames": list(of: rename)
                    case "reencode": list(of: string)
                    default: string
                    }
                }
            )
        case "devices": list(of: device)
        case "variants": variants
        case "exclude": list(of: .object([("type", .text("object"))]))
        case "jobs":
            .object([
                ("type", .text("object")), ("minProperties", .number(1)),
                ("additionalProperties", job),
            ])
        case "quarantine": list(of: quarantine)
        default: string
        }
    }

    private static var quarantine: JSON {
        .object(
            closed(PipelineKeys.quarantine, required: ["until", "reason"]) { key in
                key == "until" ? day : string
            }
        )
    }

    private static var rename: JSON {
        .object(closed(PipelineKeys.rename, required: PipelineKeys.rename) { _ in string })
    }

    private static var device: JSON {
        let map = closed(PipelineKeys.device, required: ["name"]) { key in
            switch key {
            case "width", "height", "scale": positive
            case "needs": scalars
            default: string
            }
        }
        return .object([("anyOf", .list([string, .object(map)]))])
    }

    private static var variants: JSON {
        .object([("type", .text("object")), ("additionalProperties", list(of: scalar))])
    }

    private static var job: JSON {
        .object(closed(PipelineKeys.job, required: ["kind", "driver"], property: jobProperty))
    }

    private static func jobProperty(_ key: String) -> JSON {
        switch key {
        case "kind": words(JobKind.allCases.map(\.rawValue))
        case "driver": words(PipelineKeys.drivers)
        case "judge": words(Judge.allCases.map(\.rawValue))
        case "new", "moved", "flaky": words(Leniency.allCases.map(\.rawValue))
        case "retries":
            .object([
                ("type", .text("integer")), ("minimum", .number(0)),
                ("maximum", .number(Double(FarmLimits.attemptsMax - 1))),
            ])
        case "exclusive": .object([("type", .text("boolean"))])
        case "env", "needs": scalars
        case "bundle": list(of: string)
        case "timeout": .object(closed(PipelineKeys.timeout) { _ in duration })
        case "matrix": matrix
        case "captures":
            .object([
                (
                    "anyOf",
                    .list([
                        string,
                        .object(
                            closed(PipelineKeys.captures, required: ["pattern"]) { _ in string }
                        ),
                    ])
                )
            ])
        case "comparison": .object(closed(PipelineKeys.comparison, property: comparison))
        default: string
        }
    }

    private static var matrix: JSON {
        let map = closed(PipelineKeys.matrix) { $0 == "devices" ? list(of: string) : variants }
        return .object([("anyOf", .list([words(["all", "none"]), .object(map)]))])
    }

    private static func comparison(_ key: String) -> JSON {
        guard ["cells", "suites", "snapshots"].contains(key) else { return policy(key) }
        return .object([
            ("type", .text("object")),
            ("additionalProperties", .object(closed(PipelineKeys.override, property: policy))),
        ])
    }

    private static func policy(_ key: String) -> JSON {
        switch key {
        case "policy": words(PipelineKeys.ofPolicy.keys.sorted())
        case "ignore": .object([("anyOf", .list([box, list(of: box)]))])
        case "mask": string
        case "includeAntiAliasing": .object([("type", .text("boolean"))])
        case "antiAliasing": words(VisibleLimits.AntiAliasing.allCases.map(\.rawValue))
        case "version": words(PixelmatchVersion.allCases.map(\.rawValue))
        case "maxDifferingPixels": range("integer", nil)
        case "noise": range("integer", 255)
        case "cluster": range("integer", Double(VisibleLimits.window * VisibleLimits.window))
        case "maxPercentDifference": range("number", 100)
        case "maxDistance": range("number", 2)
        default: range("number", 1)
        }
    }

    /// Numbers from 0 to `maximum`.
    private static func range(_ type: String, _ maximum: Double?) -> JSON {
        let top = maximum.map { [("maximum", JSON.number($0))] } ?? []
        return .object([("type", .text(type)), ("minimum", .number(0))] + top)
    }

    private static var string: JSON {
        .object([("type", .text("string")), ("minLength", .number(1))])
    }
    private static var scalar: JSON {
        .object([("type", .list(["string", "number", "boolean"].map { .text($0) }))])
    }
    private static var scalars: JSON {
        .object([("type", .text("object")), ("additionalProperties", scalar)])
    }
    private static var positive: JSON {
        .object([("type", .text("number")), ("exclusiveMinimum", .number(0))])
    }
    private static var box: JSON {
        .object([
            ("type", .text("string")), ("pattern", .text("^ *[0-9]+, *[0-9]+- *[0-9]+, *[0-9]+$")),
        ])
    }
    private static var day: JSON {
        .object([
            ("type", .text("string")), ("pattern", .text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        ])
    }
    private static var duration: JSON {
        .object([("type", .text("string")), ("pattern", .text("^[0-9.]+(ms|s|m|h)$"))])
    }
    private static func list(of items: JSON) -> JSON {
        .object([("type", .text("array")), ("items", items)])
    }
    private static func words(_ words: [String]) -> JSON {
        .object([("enum", .list(words.map { .text($0) }))])
    }

    private static func render(_ value: JSON, depth: Int) -> String {
        let inner = String(repeating: "  ", count: depth + 1)
        let outer = String(repeating: "  ", count: depth)
        switch value {
        case .text(let text):
            return "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
        case .number(let number):
            return number == number.rounded() ? "\(Int(number))" : "\(number)"
        case .flag(let flag): return "\(flag)"
        case .list(let items):
            return "[" + items.map { render($0, depth: depth + 1) }.joined(separator: ", ") + "]"
        case .object(let entries):
            let lines = entries.map { inner + "\"\($0.0)\": " + render($0.1, depth: depth + 1) }
            return "{\n" + lines.joined(separator: ",\n") + "\n" + outer + "}"
        }
    }
}
