// A session of an agent with `snapfarm mcp`: all requests at once, and then the end of the input.
import FarmTesting
import Foundation
import Testing

enum AgentTalk {
    typealias Call = (tool: String, arguments: [String: String])

    /// Sends requests to the server, and returns its answers in the order of the requests.
    static func answers(
        to requests: [(method: String, params: [String: Any])],
        by program: Program,
        _ options: [String],
        name: String = "tester"
    ) throws -> (answers: [[String: Any]], ending: ProcessEnding) {
        let hello: [String: Any] = [
            "protocolVersion": "2025-11-25", "capabilities": [String: String](),
            "clientInfo": ["name": name, "version": "1.2"],
        ]
        var messages: [[String: Any]] = [["id": 0, "method": "initialize", "params": hello]]
        messages.append(["method": "notifications/initialized"])
        messages += requests.enumerated().map { number, request in
            ["id": number + 1, "method": request.method, "params": request.params]
        }
        let lines = try messages.map { message in
            let all = message.merging(["jsonrpc": "2.0"]) { own, _ in own }
            return String(
                decoding: try JSONSerialization.data(withJSONObject: all),
                as: UTF8.self
            )
        }
        let folder = try TemporaryFolder("talk")
        let feed = try folder.write("messages", lines.joined(separator: "\n") + "\n")
        let ending = try program.start(
            ["mcp"] + options,
            through: ["sh", "-c", "from=$1; shift; exec \"$@\" < \"$from\"", "sh", feed]
        )
        .ending(within: 120)
        #expect(ending.status == 0, "\(ending.said)")
        let answers = try ending.output.split(separator: "\n").map { line in
            let json = try JSONSerialization.jsonObject(with: Data(line.utf8))
            return try #require(json as? [String: Any], "\(line)")
        }
        #expect(answers.count == requests.count + 1, "\(ending.said)")
        let sorted = answers.sorted { ($0["id"] as? Int ?? 0) < ($1["id"] as? Int ?? 0) }
        return (Array(sorted.dropFirst()), ending)
    }

    /// Calls tools, and returns their results in the order of the calls.
    static func results(
        of calls: [Call],
        by program: Program,
        _ options: [String],
        name: String = "tester"
    ) throws -> (results: [[String: Any]], ending: ProcessEnding) {
        let requests = calls.map { call -> (method: String, params: [String: Any]) in
            ("tools/call", ["name": call.tool, "arguments": call.arguments])
        }
        let (answers, ending) = try answers(to: requests, by: program, options, name: name)
        return (answers.map { $0["result"] as? [String: Any] ?? [:] }, ending)
    }

    static func text(_ result: [String: Any]) -> String {
        let content = result["content"] as? [[String: Any]] ?? []
        return content.compactMap { $0["text"] as? String }.joined(separator: "\n")
    }

    static func document(_ result: [String: Any]) -> [String: Any] {
        result["structuredContent"] as? [String: Any] ?? [:]
    }

    /// Counts the pictures in a result, and checks that each one is a PNG.
    static func pictures(_ result: [String: Any]) -> Int {
        let content = result["content"] as? [[String: Any]] ?? []
        let pictures = content.filter { $0["type"] as? String == "image" }
        for picture in pictures {
            let bytes = (picture["data"] as? String).flatMap { Data(base64Encoded: $0) }
            #expect(bytes?.starts(with: [0x89, 0x50, 0x4E, 0x47]) == true)
        }
        return pictures.count
    }

    static func isError(_ result: [String: Any]) -> Bool { result["isError"] as? Bool == true }
}
