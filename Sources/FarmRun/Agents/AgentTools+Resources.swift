// The resources of the server for agents: the newest runs, their changes and their pictures, and the
// documentation of this version.
import FarmAPI
import FarmCore
import FarmServer
import Foundation

extension AgentTools {
    private static let scheme = "snapfarm://run/"
    private static let docs = "snapfarm://docs/"

    /// The forms of the resources' addresses.
    static let templates: [JSONValue] = [
        template("{run}", "A run: why it is red.", "application/json"),
        template("{run}/change/{change}", "A cause, change or test.", "application/json"),
        template("{run}/file/{path}", "A picture, by a path of a record's files.", "image/png"),
        [
            "uriTemplate": .text(docs + "{page}"), "name": "{page}", "mimeType": "text/plain",
            "description": "A page of snapfarm's documentation.",
        ],
    ]

    /// The list of the pages of the documentation.
    private static let manual: JSONValue = [
        "uri": .text(docs + "llms.txt"), "name": "documentation", "mimeType": "text/plain",
        "description": "Which page answers which question about snapfarm.",
    ]

    private static func template(_ form: String, _ about: String, _ type: String) -> JSONValue {
        [
            "uriTemplate": .text(scheme + form), "name": .text(form), "description": .text(about),
            "mimeType": .text(type),
        ]
    }

    /// Returns the result of `resources/list`.
    func resources(_ params: [String: JSONValue]) async throws -> [String: JSONValue] {
        let cursor = params["cursor"]?.asText
        let runs = try await runs(from: cursor)
        let listed: [JSONValue] = runs.runs.map { run in
            [
                "uri": .text(Self.scheme + run.run.text), "name": .text(run.run.text),
                "description": .text("\(run.state.rawValue) \(run.pipeline) \(run.started)"),
                "mimeType": "application/json",
            ]
        }
        let first = cursor == nil ? [Self.manual] : []
        var result: [String: JSONValue] = ["resources": .list(first + listed)]
        result["nextCursor"] = runs.cursor.map { .text($0) }
        return result
    }

    private static func page(_ name: String) -> String? {
        name == ProgramDocs.list ? ProgramDocs.index(below: "") : ProgramDocs.pages[name]
    }

    /// Returns the result of `resources/read`.
    ///
    /// - Throws: ``AgentRefusal/noResource(_:)``, and the errors of the run.
    func resource(
        _ params: [String: JSONValue],
        _ who: String
    ) async throws -> [String: JSONValue] {
        let address = params["uri"]?.asText ?? ""
        if address.hasPrefix(Self.docs),
            let page = Self.page(String(address.dropFirst(Self.docs.count)))
        {
            return [
                "contents": [
                    ["uri": .text(address), "mimeType": "text/plain", "text": .text(page)]
                ]
            ]
        }
        guard address.hasPrefix(Self.scheme) else { throw AgentRefusal.noResource(address) }
        let parts = address.dropFirst(Self.scheme.count)
            .split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
            .map { String($0).removingPercentEncoding ?? "" }
        guard parts.allSatisfy({ !$0.isEmpty }) else { throw AgentRefusal.noResource(address) }
        let run = try await shelf.run(parts[0], question, by: who)
        var content: [String: JSONValue] = ["uri": .text(address), "mimeType": "application/json"]
        switch (parts.count, parts.dropFirst().first) {
        case (1, _): content["text"] = .text(try AgentAnswer(try await run.brief()).text)
        case (3, "change"):
            content["text"] = .text(try AgentAnswer(try await run.brief(of: parts[2])).text)
        case (3, "file"):
            guard let bytes = try await run.picture(parts[2], as: .whole),
                bytes.count <= FarmLimits.agentPictureBytesMax
            else { throw AgentRefusal.noResource(address) }
            if parts[2].hasSuffix(".png") {
                content["mimeType"] = "image/png"
                content["blob"] = .text(bytes.base64EncodedString())
            } else {
                content["mimeType"] = "text/plain"
                content["text"] = .text(String(decoding: bytes, as: UTF8.self))
            }
        default: throw AgentRefusal.noResource(address)
        }
        return ["contents": [.object(content)]]
    }
}
