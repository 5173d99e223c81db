// A file that tells agents when and how to use snapfarm in this repository: a skill in the format of
// agentskills.io.
import FarmCore

extension SetupRules {
    private static let shared = ".agents/skills/snapfarm/SKILL.md"
    /// The path where Claude Code reads skills; it does not read the shared one.
    private static let claude = ".claude/skills/snapfarm/SKILL.md"

    /// The paths of the skill: that which most agents read, and that of Claude Code where the
    /// repository has files for it.
    private var skillPaths: [String] {
        let usesClaude = files.paths.contains { $0.hasPrefix(".claude/") || $0 == "CLAUDE.md" }
        return [Self.shared] + (usesClaude ? [Self.claude] : [])
    }

    /// Adds the skill if it is wanted; else says how to get it.
    mutating func addSkill(isWanted: Bool) {
        guard isWanted else {
            guard !skillPaths.contains(where: files.has) else { return }
            return proposal.open.append(
                "Agents: `snapfarm init --skill` writes \(Self.shared), which tells them how to use "
                    + "snapfarm."
            )
        }
        let text = String(decoding: PackageResources.SKILL_md, as: UTF8.self)
        for path in skillPaths { add(ProposedFile(path: path, text: text, appends: false)) }
        if skillPaths == [Self.shared] {
            proposal.open.append(
                "Claude Code reads skills from .claude/skills/: copy \(Self.shared) there."
            )
        }
    }
}
