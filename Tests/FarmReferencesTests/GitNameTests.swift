// Tests that this program refuses the names that `git fsck --strict` refuses.
import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("Names that Git keeps for itself")
struct GitNameTests {
    private static let refused = [
        ".git", ".GIT", "GIT~1", ".git ", ".git.", ".git. .", ".git:x", ".g\u{200C}it", "a\\.git",
        "git~1 ", ".gitmodules", ".GitModules", ".gitmodules ", ".git\u{200C}modules", "gitmod~1",
        "gi7eba~1", ".gitattributes", "gitatt~1",
    ]
    private static let taken = [
        "git", ".gitx", "git~2", "gitmod~5", ".gi", ".gitignore", "x.git", "a\\git",
        ".git x", "git~1x",
    ]

    @Test(
        "are refused as the name of a suite or picture, each that `git fsck` refuses and no other"
    )
    func asGit() throws {
        let folder = try TemporaryFolder()
        func git(_ words: String, _ more: [String] = []) throws -> String {
            let ending = try TestProcess.run(["sh", "-c", words, "sh"] + more, in: folder.path)
            return ending.output + ending.errors
        }
        for name in Self.refused + Self.taken {
            let tree = try git(
                """
                rm -rf store && git init -q --bare store && cd store
                blob=$(echo x | git hash-object -w --stdin)
                below=$(printf '100644 blob %s\\tf\\n' "$blob" | git mktree)
                tree=$(printf '040000 tree %s\\t%s\\0' "$below" "$1" | git mktree -z)
                named="git -c user.name=a -c user.email=a"
                git update-ref refs/heads/main "$($named commit-tree -m a "$tree")"
                git fsck --strict 2>&1 | grep '^error' || true
                """,
                [name]
            )
            let isRefused = (try? PathComponent(name)) == nil
            #expect(isRefused == !tree.isEmpty, "\(name.debugDescription): \(tree)")
            #expect(isRefused == Self.refused.contains(name))
        }
    }
}
