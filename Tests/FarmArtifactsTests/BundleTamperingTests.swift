import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("A bundle in the cache of a worker whose tests write there")
struct BundleTamperingTests {
    private let folder: TemporaryFolder
    private let log = Said()

    private final class Said: Sendable {
        let lines = Mutex<[String]>([])
        let fetches = Mutex(0)
    }

    init() throws {
        folder = try TemporaryFolder("tampering")
        try folder.write("tree/run.sh", "exit 1\n")
        chmod(folder.file("tree/run.sh"), 0o755)
        try folder.write("tree/deep/test.txt", "expected")
        symlink("deep", folder.file("tree/alias"))
    }

    private func pack(isWritable: Bool = false) throws -> Digest {
        var selection = BundleSelection(globs: ["**"])
        selection.isWritable = isWritable
        let packer = BundlePacker(workTree: folder.file("tree"))
        return try packer.pack(selection, platform: nil, toFileAt: folder.file("b.zip")).digest
    }

    private func use(_ digest: Digest) async throws -> BundleUse {
        let cache = BundleCache(folder: folder.file("cache/bundles"), platform: "here") { line in
            log.lines.withLock { $0.append(line) }
        }
        return try await cache.use(digest) { path in
            log.fetches.withLock { $0 += 1 }
            try FileManager.default.copyItem(atPath: folder.file("b.zip"), toPath: path)
        }
    }

    private var fetches: Int { log.fetches.withLock { $0 } }
    private var lines: [String] { log.lines.withLock { $0 } }

    /// Returns every entry of a bundle with its mode and content.
    private func look(_ use: BundleUse) throws -> String {
        let look = """
            cd "$0" && find . ! -name . -printf '%p %y %m %l\\n' | sort && cat run.sh deep/test.txt
            """
        return try System.run("sh", ["-c", look, use.folder]).output
    }

    /// Returns the cache's entries, except those of the bundle itself.
    private func left(_ digest: Digest) -> [String] {
        let own = ["", ".zip", ".lock"].map { digest.hex + $0 }
        let names = try? FileManager.default.contentsOfDirectory(
            atPath: folder.file("cache/bundles")
        )
        return (names ?? []).filter { !own.contains($0) }
    }

    /// A change that a test makes: a shell script that runs in the cache; `$B` is the bundle's
    /// digest.
    struct Deed: Sendable, CustomTestStringConvertible {
        let script: String
        /// A part of the log line, or `nil` if nothing is logged.
        var said: String?
        /// The number of fetches of the zip in the whole test, including the first.
        var fetches = 1
        var testDescription: String { script }
    }

    @Test(
        "is not believed after a test changed it: the next lease has what the run handed in",
        arguments: [
            Deed(script: "chmod u+w $B/run.sh; echo exit 0 >$B/run.sh", said: "run.sh"),
            Deed(
                script: "cp -p $B/run.sh t; chmod u+w $B/run.sh; echo exit 0 >$B/run.sh; "
                    + "chmod 555 $B/run.sh; touch -r t $B/run.sh; rm t",
                said: "files"
            ),
            Deed(script: "chmod u+w $B/deep/test.txt", said: "deep/test.txt"),
            Deed(script: "rm -f $B/deep/test.txt", said: "deep/test.txt"),
            Deed(
                script: "cp -rp $B/deep t; rm -rf $B/deep; mv t $B/other; ln -s other $B/deep",
                said: "deep"
            ),
            Deed(script: "ln -sfn . $B/alias", said: "alias"),
            Deed(script: "cp -rp $B t; rm -rf $B; mv t ../t; ln -s ../t $B", said: "files"),
            Deed(script: "rm -rf $B; echo >$B", said: "files"),
            Deed(script: "echo >$B/conftest.py; mkdir -p $B/deep/new; echo >$B/deep/new/x"),
            Deed(script: "rm -rf $B"),
            Deed(script: "rm -rf $B $B.lock; mkdir -p $B.lock/x"),
            Deed(script: "rm -f $B.zip", fetches: 2),
            Deed(script: "rm -f $B.zip; mkfifo $B.zip", said: "zip", fetches: 2),
            Deed(script: "rm -f $B.zip; mkdir -p $B.zip/x", said: "zip", fetches: 2),
            Deed(
                script: "sed 's/exit 1/exit 0/' $B.zip >t; mv t $B.zip; chmod u+w $B/run.sh; "
                    + "echo exit 0 >$B/run.sh; chmod 555 $B/run.sh",
                said: "zip",
                fetches: 2
            ),
            Deed(script: "rm -rf ../bundles; echo >../bundles", fetches: 2),
        ]
    )
    func tampered(deed: Deed) async throws {
        let digest = try pack()
        let expected: String
        do {
            let first = try await use(digest)
            expected = try look(first)
        }
        #expect(expected.contains("exit 1") && fetches == 1)
        try System.run(
            "sh",
            ["-c", "cd \"$0\" && B=$1 && \(deed.script)", folder.file("cache/bundles"), digest.hex]
        )
        let second = try await use(digest)
        #expect(try look(second) == expected)
        #expect(fetches == deed.fetches)
        // The child of another test holds every lock until it runs its program. In that case the
        // lease gets its own folder.
        #expect(second.folder.hasPrefix(folder.file("cache/bundles/" + digest.hex)))
        let said = lines.joined(separator: "\n")
        #expect(deed.said.map { said.contains($0) && said.contains(digest.hex) } ?? said.isEmpty)
        let own = URL(fileURLWithPath: second.folder).lastPathComponent
        let strange = left(digest).filter { own == digest.hex || !$0.hasPrefix(own) }
        #expect(strange.isEmpty, "\(strange)")
    }

    @Test("is left to the lease that uses it, and the next one gets a folder of its own meanwhile")
    func inUse() async throws {
        let digest = try pack()
        let first = try await use(digest)
        let expected = try look(first)
        for script in ["echo >$0/conftest.py", "chmod u+w $0/run.sh; echo exit 0 >$0/run.sh"] {
            try System.run("sh", ["-c", script, first.folder])
            do {
                let second = try await use(digest)
                #expect(second.folder != first.folder)
                #expect(try look(second) == expected)
                withExtendedLifetime(second) {}
            }
            #expect(left(digest).isEmpty, "\(left(digest))")
        }
        #expect(FileManager.default.fileExists(atPath: first.folder + "/conftest.py"))
        withExtendedLifetime(first) {}
    }

    @Test("is a folder for each lease where its driver writes beside its files")
    func writable() async throws {
        let digest = try pack(isWritable: true)
        let first = try await use(digest)
        try System.run("sh", ["-c", "echo exit 0 >$0/run.sh; echo >$0/conftest.py", first.folder])
        let second = try await use(digest)
        #expect(second.folder != first.folder)
        let text = try String(contentsOfFile: second.folder + "/run.sh", encoding: .utf8)
        #expect(text == "exit 1\n" && fetches == 1)
        #expect(!FileManager.default.fileExists(atPath: second.folder + "/conftest.py"))
        withExtendedLifetime(first) {}
    }

    @Test("loses with the next bundle the folder of a lease whose worker was killed")
    func killed() async throws {
        let digest = try pack()
        let left = "cache/bundles/\(digest.hex).1f"
        try folder.write(left + ".lock", "")
        try folder.write(left + "/file", "")
        let use = try await use(digest)
        #expect(!FileManager.default.fileExists(atPath: folder.file(left)))
        withExtendedLifetime(use) {}
    }
}
