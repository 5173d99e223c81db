// The server's side of the Model Context Protocol (modelcontextprotocol.io, the revisions below): JSON-RPC 2.0,
// the subset tools and resources. Older revisions begin with a handshake; in the newest one each request names
// its revision and its client.
//
// Invariants
//   - Each request gets one answer, and each notification none, whatever a message says.
//   - The server runs no tool before it knows its client.
import FarmCore
import FarmServer
import Foundation

/// The answers to an agent's messages.
package struct AgentServer: Sendable {
    /// The revisions that begin with a handshake, the newest first.
    static let handshakes = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"]
    /// The revision without a handshake.
    static let stateless = "2026-07-28"

    /// The step that follows a message.
    package enum Step: Sendable {
        case answer(Data)
        case silence
        /// An answer that takes long: other messages are answered meanwhile.
        case later(@Sendable () async -> Data)
    }

    private let tools: AgentTools
    /// The name of the client that shook hands, or `nil` before that.
    private var client: String?

    package init(_ tools: AgentTools) { self.tools = tools }

    /// Answers messages until they end; then ends what still works.
    package static func serve(
        _ tools: AgentTools,
        lines: AgentLines,
        write: @escaping @Sendable (Data) -> Void
    ) async {
        var server = AgentServer(tools)
        await withDiscardingTaskGroup { group in
            while let line = await lines.next() {
                switch await server.take(line) {
                case .silence: continue
                case .answer(let bytes): write(bytes)
                case .later(let work): group.addTask { write(await work()) }
                }
            }
            group.cancelAll()
        }
    }

    /// Takes a message.
    package mutating func take(_ line: AgentLine) async -> Step {
        guard case .message(let bytes) = line else {
            let most = FarmLimits.agentLineBytesMax
            return .answer(
                AgentReply.refusal(nil, .invalidRequest, "a message is over \(most) bytes")
            )
        }
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: bytes) else {
            return .answer(AgentReply.refusal(nil, .parseError, "the line is not JSON"))
        }
        guard let message = value.asObject, message["jsonrpc"] == "2.0" else {
            let words = "the line is no JSON-RPC 2.0 message"
            return .answer(AgentReply.refusal(nil, .invalidRequest, words))
        }
        guard let method = message["method"]?.asText else {
            // The answer to a request; this server makes none.
            if message["result"] != nil || message["error"] != nil { return .silence }
            let words = "the message has no method"
            return .answer(AgentReply.refusal(message["id"]?.asID, .invalidRequest, words))
        }
        guard let named = message["id"] else { return .silence }
        guard let id = named.asID else {
            return .answer(AgentReply.refusal(nil, .invalidRequest, "the id is no text or number"))
        }
        let params = message["params"] ?? [:]
        guard let params = params.asObject else {
            return .answer(AgentReply.refusal(id, .invalidParams, "params is no object"))
        }
        return await answer(AgentRequest(id: id, method: method, params: params))
    }

    private mutating func answer(_ request: AgentRequest) async -> Step {
        if let version = request.version, version != Self.stateless {
            return .answer(AgentReply.unsupported(request.id, version))
        }
        switch request.method {
        case "initialize": return .answer(initialized(request))
        case "server/discover": return .answer(request.reply(discovered, isList: true))
        case "ping": return .answer(request.reply([:]))
        default: break
        }
        guard let who = request.version == nil ? client : AgentName.text(request.client) else {
            let words = "the first request is initialize, or server/discover"
            return .answer(AgentReply.refusal(request.id, .invalidRequest, words))
        }
        switch request.method {
        case "tools/list":
            return .answer(request.reply(["tools": .list(tools.list)], isList: true))
        case "tools/call": return await called(request, by: who)
        case "resources/list":
            return .answer(await request.reply(isList: true) { try await tools.resources($0) })
        case "resources/templates/list":
            let templates: JSONValue = .list(AgentTools.templates)
            return .answer(request.reply(["resourceTemplates": templates], isList: true))
        case "resources/read":
            return .answer(await request.reply(isList: true) { try await tools.resource($0, who) })
        default:
            let words = "there is no method \(request.method.prefix(100).debugDescription)"
            return .answer(AgentReply.refusal(request.id, .noMethod, words))
        }
    }

    private mutating func initialized(_ request: AgentRequest) -> Data {
        client = AgentName.text(request.params["clientInfo"])
        let wanted = request.params["protocolVersion"]?.asText ?? ""
        let version = Self.handshakes.contains(wanted) ? wanted : Self.handshakes[0]
        return request.reply([
            "protocolVersion": .text(version), "capabilities": Self.capabilities,
            "serverInfo": AgentReply.server, "instructions": .text(tools.instructions),
        ])
    }

    private var discovered: [String: JSONValue] {
        [
            "supportedVersions": .list(([Self.stateless] + Self.handshakes).map { .text($0) }),
            "capabilities": Self.capabilities, "instructions": .text(tools.instructions),
        ]
    }

    private static let capabilities: JSONValue = ["tools": [:], "resources": [:]]

    private func called(_ request: AgentRequest, by who: String) async -> Step {
        let name = request.params["name"]?.asText ?? ""
        guard tools.knows(name) else {
            let words = "there is no tool \(name.prefix(100).debugDescription)"
            return .answer(AgentReply.refusal(request.id, .invalidParams, words))
        }
        guard let arguments = (request.params["arguments"] ?? [:]).asObject else {
            return .answer(AgentReply.refusal(request.id, .invalidParams, "arguments is no object"))
        }
        let call = AgentCall(name: name, arguments: arguments, who: who)
        guard AgentTools.takesLong(name) else {
            return .answer(request.reply(await tools.answer(call).fields))
        }
        return .later { [tools] in request.reply(await tools.answer(call).fields) }
    }
}

/// A request of an agent.
struct AgentRequest: Sendable {
    let id: JSONValue
    let method: String
    let params: [String: JSONValue]

    /// The revision that the request names, or `nil` for one after a handshake.
    var version: String? { meta?["io.modelcontextprotocol/protocolVersion"]?.asText }
    /// The client that the request names.
    var client: JSONValue? { meta?["io.modelcontextprotocol/clientInfo"] }

    private var meta: [String: JSONValue]? { params["_meta"]?.asObject }

    /// Returns the answer with a result, as the request's revision wants it.
    func reply(_ result: [String: JSONValue], isList: Bool = false) -> Data {
        var result = result
        if version != nil {
            result["resultType"] = "complete"
            result["_meta"] = ["io.modelcontextprotocol/serverInfo": AgentReply.server]
            if isList {
                // Runs and decisions change at any time.
                result["ttlMs"] = 0
                result["cacheScope"] = "private"
            }
        }
        return AgentReply.encoded(["jsonrpc": "2.0", "id": id, "result": .object(result)])
    }

    /// Returns the answer with the result of `work`, or with its error.
    func reply(
        isList: Bool,
        _ work: ([String: JSONValue]) async throws -> [String: JSONValue]
    ) async -> Data {
        do {
            return reply(try await work(params), isList: isList)
        } catch let error as any ExplainedError {
            let words = "\(error.message) \(error.remedy)"
            return AgentReply.refusal(id, .invalidParams, SecretMask().mask(words))
        } catch {
            return AgentReply.refusal(id, .internalError, SecretMask().mask(error.inWords))
        }
    }
}

/// The errors of JSON-RPC and of the protocol.
enum AgentFault: Int {
    case parseError = -32700
    case invalidRequest = -32600
    case noMethod = -32601
    case invalidParams = -32602
    case internalError = -32603
    case unsupportedVersion = -32022
}

/// Encodes answers.
enum AgentReply {
    static let server: JSONValue = ["name": "snapfarm", "version": .text(ProgramVersion.text)]

    static func refusal(
        _ id: JSONValue?,
        _ fault: AgentFault,
        _ words: String,
        data: JSONValue? = nil
    ) -> Data {
        var error: [String: JSONValue] = [
            "code": .number(Double(fault.rawValue)), "message": .text(words),
        ]
        error["data"] = data
        return encoded(["jsonrpc": "2.0", "id": id ?? .null, "error": .object(error)])
    }

    static func unsupported(_ id: JSONValue, _ version: String) -> Data {
        let supported = [AgentServer.stateless] + AgentServer.handshakes
        return refusal(
            id,
            .unsupportedVersion,
            "the revision \(version.prefix(40).debugDescription) is not spoken here",
            data: [
                "supported": .list(supported.map { .text($0) }),
                "requested": .text(String(version.prefix(40))),
            ]
        )
    }

    /// Returns a value as JSON in one line.
    static func encoded(_ value: JSONValue) -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Only a number that is not finite cannot be encoded, and JSON has none.
        return (try? encoder.encode(value)) ?? Data(#"{"jsonrpc":"2.0","id":null}"#.utf8)
    }

    /// Returns any document as a JSON value.
    static func value(_ document: some Encodable) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: try JSONEncoder().encode(document))
    }
}

/// The name of an agent in decisions: `claude-code 1.2 (agent)`.
enum AgentName {
    /// Returns the name that a client gives itself, as one line that says that it is an agent's.
    ///
    /// Nothing proves the name.
    static func text(_ client: JSONValue?) -> String {
        let fields = client?.asObject ?? [:]
        let words = ["name", "version"].compactMap { fields[$0]?.asText }.map { word in
            word.unicodeScalars.split {
                TerminalText.isUnsafe($0) || $0.properties.isWhitespace || $0 == "<" || $0 == ">"
            }.map { String($0) }.joined(separator: " ")
        }
        let own = words.filter { !$0.isEmpty }.joined(separator: " ")
        let bytesMax = FarmLimits.agentNameBytesMax
        // A character that is cut in the middle becomes U+FFFD.
        let cut = String(decoding: own.utf8.prefix(bytesMax), as: UTF8.self)
        return (cut.isEmpty ? "unnamed" : cut) + " (agent)"
    }
}

extension JSONValue {
    var asText: String? {
        if case .text(let text) = self { text } else { nil }
    }
    var asObject: [String: JSONValue]? {
        if case .object(let fields) = self { fields } else { nil }
    }
    var asList: [JSONValue]? {
        if case .list(let values) = self { values } else { nil }
    }
    /// The value if it is the id of a request: a text or a number.
    var asID: JSONValue? {
        switch self {
        case .text, .number: self
        case .null, .flag, .list, .object: nil
        }
    }
}
