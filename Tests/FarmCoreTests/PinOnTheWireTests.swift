// Tests of pins from other machines and in older ledger rows, with the exact texts that they send
// or keep.
import FarmCore
import Foundation
import Testing

@Suite("pins on the wire")
struct PinOnTheWireTests {
    private static let text = "A/Login\n 0123456789abcdef0123456789abcdef01234567\n"
    private static let quoted =
        #""A/Login\n 0123456789abcdef0123456789abcdef01234567\n""#

    private func json(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func pin() throws -> ReferencePin { try ReferencePin(parsing: Data(Self.text.utf8)) }

    @Test("a plan holds its pin as the text of the file")
    func plan() throws {
        let literal =
            #"{"filtered":false,"jobs":[],"matrix":[],"mode":"verify","pin":"# + Self.quoted
            + #","pipeline":"app","reencode":[],"renames":[],"workTree":"/w"}"#
        let plan = Plan(
            pipeline: "app",
            mode: .verify,
            filtered: false,
            pin: try pin(),
            jobs: [],
            workTree: "/w"
        )
        #expect(try json(plan) == literal)
        #expect(try JSONDecoder().decode(Plan.self, from: Data(literal.utf8)) == plan)
    }

    @Test("a plan of a project without references has an empty text")
    func empty() throws {
        let plan = Plan(
            pipeline: "app",
            mode: .verify,
            filtered: false,
            pin: ReferencePin(),
            jobs: [],
            workTree: "/w"
        )
        #expect(try json(plan).contains(#""pin":"""#))
    }

    @Test("a recording holds the new text of the file")
    func recording() throws {
        let literal =
            #"{"outcomes":{},"pin":"# + Self.quoted
            + #","set":"76543210fedcba9876543210fedcba9876543210"}"#
        let set = try #require(ObjectID("76543210fedcba9876543210fedcba9876543210"))
        let recording = RunRecording(pin: try pin(), set: set, outcomes: [:])
        #expect(try json(recording) == literal)
        #expect(try JSONDecoder().decode(RunRecording.self, from: Data(literal.utf8)) == recording)
    }

    @Test("the set of a run and the path of a pin keep the names they have in JSON")
    func names() throws {
        let settings = ReferenceSettings(store: "../store", pinPath: "refs/app.refs")
        #expect(
            try json(settings)
                == #"{"pin":"refs/app.refs","reencode":[],"renames":[],"store":"../store"}"#
        )
        let facts = RunFacts(
            id: "1",
            key: "",
            pipeline: "app",
            mode: .verify,
            filtered: false,
            commit: "",
            branch: "",
            pullRequest: "",
            set: "76543210fedcba9876543210fedcba9876543210",
            planDigest: "",
            started: "",
            finished: ""
        )
        let text = try json(facts)
        #expect(text.contains(#""pin":"76543210fedcba9876543210fedcba9876543210""#))
        #expect(!text.contains(#""set""#))
        #expect(try JSONDecoder().decode(RunFacts.self, from: Data(text.utf8)) == facts)
    }

    @Test(
        "a text that is no pin is refused where it comes in, with its line",
        arguments: ["nonsense", "A/Login\\n", "<<<<<<< ours\\n"]
    )
    func refused(text: String) throws {
        let literal =
            #"{"filtered":false,"jobs":[],"matrix":[],"mode":"verify","pin":""# + text
            + #"","pipeline":"app","reencode":[],"renames":[],"workTree":"/w"}"#
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Plan.self, from: Data(literal.utf8))
        }
        guard case .dataCorrupted(let context) = error else {
            Issue.record("\(error.map { "\($0)" } ?? "nothing")")
            return
        }
        #expect(context.codingPath.map(\.stringValue) == ["pin"])
        #expect(context.debugDescription.hasPrefix("pin is not the text of a pin: pin:1: "))
    }
}
