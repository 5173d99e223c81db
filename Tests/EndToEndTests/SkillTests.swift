// Tests of the file that `snapfarm init --skill` writes for agents.
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A skill for agents")
    struct SkillTests {
        private static let shared = ".agents/skills/snapfarm/SKILL.md"
        private static let claude = ".claude/skills/snapfarm/SKILL.md"

        @Test("init names the skill, writes it on request, and never over another one")
        func writing() throws {
            let folder = try TemporaryFolder("skill")
            try folder.write("index.html", "<h1>Home</h1>")
            let program = Program(folder: folder.path)
            let offered = try program.run(["init", "--yes"])
            #expect(offered.status == 0 && offered.output.contains("snapfarm init --skill"))
            #expect(!FileManager.default.fileExists(atPath: folder.file(Self.shared)))
            // Beside a pipeline file that is there.
            let written = try program.run(["init", "--skill", "--yes"])
            #expect(written.status == 0, "\(written.said)")
            let text = try String(contentsOfFile: folder.file(Self.shared), encoding: .utf8)
            try expectGolden(text, "SKILL.md")
            #expect(!FileManager.default.fileExists(atPath: folder.file(Self.claude)))
            try folder.write(Self.shared, "our own\n")
            try folder.write("CLAUDE.md", "")
            let again = try program.run(["init", "--skill", "--yes"])
            #expect(again.output.contains("\(Self.shared) is there already"), "\(again.said)")
            let kept = try String(contentsOfFile: folder.file(Self.shared), encoding: .utf8)
            #expect(kept == "our own\n")
            let second = try String(contentsOfFile: folder.file(Self.claude), encoding: .utf8)
            #expect(second == text)
            let last = try program.run(["init", "--skill", "--yes"])
            #expect(last.status == 65, "\(last.said)")
            #expect(!last.output.contains("snapfarm init --skill"))
        }

        @Test("the skill is short, has the members of the format, and names commands that exist")
        func commands() throws {
            let path = (#filePath as NSString).deletingLastPathComponent + "/Golden/SKILL.md"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 41)
            #expect(lines[0] == "---" && lines[1] == "name: snapfarm" && lines[3] == "---")
            #expect(lines[2].hasPrefix("description: ") && lines[2].count < 1_024)
            let program = Program(folder: NSTemporaryDirectory())
            var helps: [String: String] = [:]
            for match in text.matches(of: /`snapfarm ([a-z]+)([^`]*)`/) {
                let command = String(match.1)
                guard command != "help" else { continue }
                if helps[command] == nil {
                    let help = try program.run(["help", command])
                    #expect(help.status == 0, "\(command): \(help.said)")
                    helps[command] = help.output
                }
                for option in match.2.matches(of: /--[a-z-]+/) {
                    #expect(helps[command]?.contains(option.0) == true, "\(match.0)")
                }
            }
            #expect(Set(helps.keys).isSuperset(of: ["run", "show", "why", "runs", "approve"]))
        }
    }
}
