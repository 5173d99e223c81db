// Tests that every mistake in a profile, which users write as well, is reported with its line.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@Suite("profiles of frameworks")
struct ProfileDecoderTests {
    @Test("a profile of one's own is read as those of the program are")
    func own() throws {
        let folder = try TemporaryFolder()
        let text = try #require(FrameworkCatalog.texts.first { $0.name == "Playwright" }?.text)
        try folder.write(
            "frameworks/mine.yaml",
            text.replacing("framework: Playwright", with: "framework: mine")
        )
        let choice = FrameworkChoice(folder: folder.path)
        var profile = try #require(try choice.profile("frameworks/mine.yaml"))
        #expect(profile.name == "mine")
        profile.name = "Playwright"
        #expect(profile == FrameworkCatalog.profile(named: "Playwright"))
        #expect(try choice.profile("nobody") == nil)
    }

    @Test("a profile that cannot be read is said under its own name")
    func unreadable() throws {
        let choice = FrameworkChoice(folder: try TemporaryFolder().path)
        let errors = #expect(throws: DocumentErrors.self) { try choice.profile("mine.yaml") }
        #expect(errors?.problems.map(\.file) == ["mine.yaml"])
        #expect(errors?.code == "framework-unreadable")
    }

    @Test(
        "a mistake is reported with its line",
        arguments: [
            ("about: x", 1, "does not say its framework"),
            ("framework: x\nabot: y", 2, "unknown key \"abot\""),
            ("framework: a/b", 1, "is no name"),
            ("framework: x\njudge: me", 2, "unknown judge"),
            ("framework: x\nrecord:\n  env: {SNAPFARM_CELL: y}", 3, "cannot set the variable"),
            ("framework: x\nrecord:\n  env: {A-B: y}", 3, "cannot set the variable"),
            ("framework: x\nverify:\n  flags:\n    - \"{leese}/x\"", 4, "the folder {leese}"),
            ("framework: x\nreferences:\n  layout: lease", 3, "references has no folder"),
            (reference("folder: /tmp"), 4, "not in the lease's folder"),
            (reference("folder: \"{lease}/../..\""), 4, "not in the lease's folder"),
            (reference("folder: \"{lease}\"", path: "{suite}"), 5, "has no {name}"),
            (reference("folder: \"{lease}\"", more: "writes: some"), 6, "is not \"nothing\""),
            ("framework: x\npictures:\n  - folders: [\"{lease}\"]", 3, "says no pictures"),
            (place("capture: \"{name}.png\""), 4, "does not say {suite} and {name}"),
            (place("capture: \"{suite}{name}\""), 4, "nothing stands before {name}"),
            (place("failed: \"{suite}/{name}\"", "needs: [diff]"), 5, "which this entry does not"),
            ("framework: x\nnames: [\"{tset}\"]", 2, "unknown field \"tset\""),
            ("framework: x\nspelling: {replace: all, by: _}", 2, "unknown replace"),
            ("framework: x\nowner: [me]", 2, "unknown rule of owner \"me\""),
            ("framework: x\nowner:\n  - test: \"{tst}\"", 3, "unknown field"),
            ("framework: x\nmessages:\n  differs:\n    - {also: y}", 4, "a message has no begins"),
            ("framework: x\n: [", 2, "not YAML"),
        ]
    )
    func mistakes(text: String, line: Int, words: String) {
        let errors = #expect(throws: DocumentErrors.self) {
            try ProfileDecoder.decode(text, file: "mine.yaml")
        }
        let problems = errors?.problems ?? []
        #expect(
            problems.contains { $0.line == line && $0.message.contains(words) },
            "\(problems.map(\.text))"
        )
        #expect(problems.allSatisfy { $0.file == "mine.yaml" && !$0.remedy.isEmpty })
    }

    private static func reference(
        _ folder: String,
        path: String = "{suite}/{name}",
        more: String = "remedy: x"
    ) -> String {
        "framework: x\nreferences:\n  layout: lease\n  \(folder)\n  path: \"\(path)\"\n  \(more)"
    }

    private static func place(_ lines: String...) -> String {
        "framework: x\npictures:\n  - folders: [\"{lease}\"]\n"
            + lines.map { "    \($0)" }.joined(separator: "\n")
    }

    @Test("a profile travels to a worker with its job", arguments: FrameworkCatalog.profiles)
    func travels(profile: FrameworkProfile) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let data = try encoder.encode(profile)
        #expect(try JSONDecoder().decode(FrameworkProfile.self, from: data) == profile)
        #expect(try encoder.encode(profile) == data)
        #expect(data.count < FarmLimits.profileBytesMax)
    }
}
