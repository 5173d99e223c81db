// The JSON Schema of pipeline files, made from the decoder's own list of keys. It lies in
// docs/schema/pipeline.schema.json for editors; a test keeps the two equal.
import FarmCore

/// The JSON Schema (draft 2020-12) of a pipeline file.
package enum PipelineSchema {
    /// The schema's text for jobs with these drivers, ending with a newline.
    package static func text(drivers: [any DriverKind]) -> String {
        let job = job(drivers)
        let head: [(String, SchemaValue)] = [
            ("$schema", .text("https://json-schema.org/draft/2020-12/schema")),
            ("title", .text("snapfarm pipeline")),
        ]
        let required = ["version", "jobs"]
        let body = SchemaValue.entries(PipelineKeys.top, required: required) { top($0, job: job) }
        return SchemaValue.object(head + body).rendered() + "\n"
    }

    private static func top(_ key: String, job: SchemaValue) -> SchemaValue {
        switch key {
        case "version": .object([("const", .number(1))])
        case "references":
            .closed(PipelineKeys.references, required: ["store"]) { key in
                switch key {
                case "renames": .list(of: rename)
                case "reencode": .list(of: .string)
                default: .string
                }
            }
        case "devices": .list(of: device)
        case "variants": variants
        case "exclude": .list(of: .object([("type", .text("object"))]))
        case "jobs":
            .object([
                ("type", .text("object")), ("minProperties", .number(1)),
                ("additionalProperties", job),
            ])
        case "quarantine": .list(of: quarantine)
        case "screens": .either([.string, .list(of: .string)])
        default: .string
        }
    }

    private static var quarantine: SchemaValue {
        .closed(PipelineKeys.quarantine, required: ["until", "reason"]) { key in
            key == "until" ? day : .string
        }
    }

    private static var rename: SchemaValue {
        .closed(PipelineKeys.rename, required: PipelineKeys.rename) { _ in .string }
    }

    private static var device: SchemaValue {
        let map = SchemaValue.closed(PipelineKeys.device, required: ["name"]) { key in
            switch key {
            case "width", "height", "scale": positive
            case "needs": scalars
            default: .string
            }
        }
        return .either([.string, map])
    }

    private static var variants: SchemaValue {
        .object([("type", .text("object")), ("additionalProperties", .list(of: scalar))])
    }

    private static func job(_ drivers: [any DriverKind]) -> SchemaValue {
        let own = drivers.keys
        let keys = PipelineKeys.job + own.map(\.name)
        return .closed(keys, required: ["kind", "driver"]) { key in
            if key == "driver" { return .words(drivers.names) }
            return own.first { $0.name == key }?.schema ?? jobProperty(key)
        }
    }

    private static func jobProperty(_ key: String) -> SchemaValue {
        switch key {
        case "kind": .words(JobKind.allCases.map(\.rawValue))
        case "judge": .words(Judge.allCases.map(\.rawValue))
        case "new", "moved", "flaky": .words(Leniency.allCases.map(\.rawValue))
        case "retries":
            .object([
                ("type", .text("integer")), ("minimum", .number(0)),
                ("maximum", .number(Double(FarmLimits.attemptsMax - 1))),
            ])
        case "exclusive": .object([("type", .text("boolean"))])
        case "env", "needs": scalars
        case "bundle": .list(of: .string)
        case "timeout": .closed(PipelineKeys.timeout) { _ in duration }
        case "matrix": matrix
        case "comparison": .closed(PipelineKeys.comparison, property: comparison)
        default: .string
        }
    }

    private static var matrix: SchemaValue {
        let map = SchemaValue.closed(PipelineKeys.matrix) { key in
            key == "devices" ? .list(of: .string) : variants
        }
        return .either([.words(["all", "none"]), map])
    }

    private static func comparison(_ key: String) -> SchemaValue {
        guard ["cells", "suites", "snapshots"].contains(key) else { return policy(key) }
        return .object([
            ("type", .text("object")),
            ("additionalProperties", .closed(PipelineKeys.override, property: policy)),
        ])
    }

    private static func policy(_ key: String) -> SchemaValue {
        switch key {
        case "policy": .words(PipelineKeys.ofPolicy.keys.sorted())
        case "ignore": .either([box, .list(of: box)])
        case "mask": .string
        case "includeAntiAliasing": .object([("type", .text("boolean"))])
        case "antiAliasing": .words(VisibleLimits.AntiAliasing.allCases.map(\.rawValue))
        case "version": .words(PixelmatchVersion.allCases.map(\.rawValue))
        case "maxDifferingPixels": range("integer", nil)
        case "noise": range("integer", 255)
        case "cluster": range("integer", Double(VisibleLimits.window * VisibleLimits.window))
        case "maxPercentDifference": range("number", 100)
        case "maxDistance": range("number", 2)
        default: range("number", 1)
        }
    }

    /// Numbers from 0 to `maximum`.
    private static func range(_ type: String, _ maximum: Double?) -> SchemaValue {
        let top = maximum.map { [("maximum", SchemaValue.number($0))] } ?? []
        return .object([("type", .text(type)), ("minimum", .number(0))] + top)
    }

    private static var scalar: SchemaValue {
        .object([("type", .list(["string", "number", "boolean"].map { .text($0) }))])
    }
    private static var scalars: SchemaValue {
        .object([("type", .text("object")), ("additionalProperties", scalar)])
    }
    private static var positive: SchemaValue {
        .object([("type", .text("number")), ("exclusiveMinimum", .number(0))])
    }
    private static var box: SchemaValue {
        .object([
            ("type", .text("string")), ("pattern", .text("^ *[0-9]+, *[0-9]+- *[0-9]+, *[0-9]+$")),
        ])
    }
    private static var day: SchemaValue {
        .object([
            ("type", .text("string")), ("pattern", .text("^[0-9]{4}-[0-9]{2}-[0-9]{2}$")),
        ])
    }
    private static var duration: SchemaValue {
        .object([("type", .text("string")), ("pattern", .text("^[0-9.]+(ms|s|m|h)$"))])
    }
}
