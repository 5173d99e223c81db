// The descriptions of the tools. Each session sends all of these words to its model, so there are few.
import FarmCore

/// A tool of the server for agents.
struct AgentTool: Sendable {
    let name: String
    let about: String
    /// The arguments, each with its schema.
    let arguments: [String: JSONValue]
    let required: [String]
    /// Whether it changes nothing.
    let isReadOnly: Bool
    /// The permissions without which the server does not offer the tool.
    let needs: AgentTools.Permissions
    /// Whether only a coordinator can answer.
    let asksCoordinator: Bool

    init(
        _ name: String,
        _ about: String,
        _ arguments: [String: JSONValue] = [:],
        required: [String] = [],
        isReadOnly: Bool = true,
        needs: AgentTools.Permissions = [],
        asksCoordinator: Bool = false
    ) {
        self.name = name
        self.about = about
        self.arguments = arguments
        self.required = required
        self.isReadOnly = isReadOnly
        self.needs = needs
        self.asksCoordinator = asksCoordinator
    }

    /// The tool as `tools/list` has it.
    var listed: JSONValue {
        [
            "name": .text(name), "description": .text(about),
            "inputSchema": [
                "type": "object", "properties": .object(arguments),
                "required": .list(required.map { .text($0) }), "additionalProperties": false,
            ],
            "annotations": [
                "readOnlyHint": .flag(isReadOnly), "destructiveHint": .flag(!needs.isEmpty),
                "openWorldHint": false,
            ],
        ]
    }
}

enum AgentToolTable {
    private static func text(_ about: String) -> JSONValue {
        ["type": "string", "description": .text(about)]
    }

    private static let run = text("A run's id, or latest (the default).")
    private static let ownRun = text("A run's id.")
    private static let change = text("The id of a record: cause, change, test, or a picture's id.")
    private static let decided = text("The id of a cause or change, or a picture's id.")
    private static let cursor = text("The cursor of the answer before.")
    private static let select: JSONValue = [
        "type": "array", "items": ["type": "string"],
        "description": "KEY=VALUE; keys job, cell, device, test, or an axis.",
    ]

    static let all = [
        AgentTool("list_runs", "Lists the newest runs.", ["cursor": cursor]),
        AgentTool(
            "show_run",
            "Says why a run is red: its verdict, then records (problems, causes, changes, failed tests).",
            ["run": run, "cursor": cursor]
        ),
        AgentTool(
            "show_change",
            "Shows one record of a run, with reference, failed picture and difference of its first picture.",
            [
                "run": run, "change": change, "cursor": cursor,
                "pictures": [
                    "type": "string", "enum": ["none", "thumbnails", "whole"],
                    "description": "thumbnails is the default.",
                ],
            ],
            required: ["change"]
        ),
        AgentTool(
            "show_baseline",
            "Says where the reference of a record's first picture is from: who, when, why, and its changes.",
            ["run": run, "change": change, "cursor": cursor],
            required: ["change"]
        ),
        AgentTool(
            "why",
            "Says why a run is not done: what it waits for, and which workers lack what.",
            ["run": run, "cursor": cursor],
            asksCoordinator: true
        ),
        AgentTool(
            "doctor",
            "Says what this machine, the repository and its services lack for a run."
        ),
        AgentTool(
            "plan",
            "Says what a run would do; asks the pipeline's test programs for their tests.",
            ["select": select],
            isReadOnly: false
        ),
        AgentTool(
            "comment",
            "Says something about pictures on the run's page; decides nothing.",
            ["run": ownRun, "change": decided, "text": text("The comment.")],
            required: ["run", "change", "text"],
            isReadOnly: false
        ),
        AgentTool(
            "reject",
            "Notes that pictures are wrong: they stay red. What a person accepted stays accepted.",
            ["run": ownRun, "change": decided, "reason": text("What is wrong.")],
            required: ["run", "change", "reason"],
            isReadOnly: false
        ),
        AgentTool(
            "approve",
            "Makes pictures the references and moves the pin, in your name. Look at them first.",
            ["run": ownRun, "change": decided, "reason": text("Why they are right.")],
            required: ["run", "change", "reason"],
            isReadOnly: false,
            needs: .approve
        ),
        AgentTool(
            "run",
            "Runs the pipeline and compares; answers when it has ended, which may take long.",
            ["select": select],
            isReadOnly: false,
            needs: .run
        ),
    ]
}
