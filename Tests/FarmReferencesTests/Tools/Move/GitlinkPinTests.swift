import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

@Suite("a pin as a submodule")
struct GitlinkPinTests {
    @Test("text becomes a submodule and text again, the same references all the while")
    func convert() throws {
        let fixture = try StoreFixture()
        let made = try fixture.record([try fixture.recording("a", ["S/1": "1"])])
        let project = try MergeProject(fixture, pin: "snapfarm.refs")
        try project.write(".gitmodules", "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n")
        try project.commit(made.pin, branch: "main2", from: nil)
        let main = try MainRepository(containing: project.path)
        let text = try fixture.store.conversion(
            of: made.pin,
            at: "snapfarm.refs",
            toGitlinkAt: "Tests/references",
            url: fixture.store.path
        )
        #expect(text.lines.count == 2)
        try main.apply(text)
        let link = try #require(try main.gitlink(at: "Tests/references"))
        #expect(link.set == made.set)
        #expect(link.url == fixture.store.path)
        try project.git("commit", "-q", "-m", "link")
        #expect(try project.git("status", "--porcelain").output == "")
        let modules = try project.git("show", "HEAD:.gitmodules").output
        #expect(modules.contains("shallow = true"))
        #expect(modules.contains("url = ../lib"))
        let commit = try main.commit("HEAD")
        let form = try main.pin("Tests/references", at: commit)
        #expect(form == .gitlink(made.set))
        #expect(try fixture.store.pin(of: form) == made.pin)
        #expect(try fixture.store.pin(of: nil) == ReferencePin())

        try main.apply(try fixture.store.conversion(of: link, toTextAt: "snapfarm.refs"))
        try project.git("commit", "-q", "-m", "text")
        #expect(try project.git("status", "--porcelain").output == "")
        #expect(try project.git("show", "HEAD:snapfarm.refs").output == made.pin.text)
        let rest = try project.git("show", "HEAD:.gitmodules").output
        #expect(rest == "[submodule \"lib\"]\n\tpath = lib\n\turl = ../lib\n")
        #expect(try main.gitlink(at: "Tests/references") == nil)
    }

    @Test("a submodule moves to the next set, and the last one takes .gitmodules with it")
    func move() throws {
        let fixture = try StoreFixture()
        let history = try History(fixture, [["S/1": "1"], ["S/1": "2"]])
        let project = try MergeProject(fixture)
        let main = try MainRepository(containing: project.path)
        for set in history.sets {
            try main.write(try GitlinkPin(path: "refs", url: fixture.store.path, set: set))
            #expect(try main.gitlink(at: "refs")?.set == set)
        }
        try project.git("commit", "-q", "-m", "link")
        try main.removeGitlink(at: "refs")
        #expect(!FileManager.default.fileExists(atPath: project.path + "/.gitmodules"))
        #expect(!FileManager.default.fileExists(atPath: project.path + "/refs"))
        #expect(try project.git("ls-files").output == "")
    }

    @Test(
        "paths that leave the project and URLs that are commands are refused",
        arguments: [
            ("../x", "u"), ("/x", "u"), ("a/.git/x", "u"), ("a//b", "u"), ("", "u"), ("-x", "u"),
            ("x", ""), ("x", "-u"), ("x", "ext::sh -c id"), ("x", "a\nb"),
        ]
    )
    func refused(path: String, url: String) {
        #expect(throws: GitlinkPinError.self) {
            try GitlinkPin(path: path, url: url, set: object("set"))
        }
    }

    @Test("a file in the way is not replaced")
    func taken() throws {
        let fixture = try StoreFixture()
        let project = try MergeProject(fixture)
        try project.write("refs", "mine")
        let main = try MainRepository(containing: project.path)
        #expect(throws: GitlinkPinError.pathTaken("refs")) {
            try main.write(try GitlinkPin(path: "refs", url: "u", set: object("set")))
        }
    }

    @Test(
        "stock Git checks the references out, whole and shallow, over both protocols",
        arguments: [0, 2],
        [false, true]
    )
    func stockSubmodule(protocolVersion: Int, shallow: Bool) throws {
        let fixture = try StoreFixture()
        let history = try History(fixture, [["S/1": "1"], ["S/1": "2"], ["S/1": "3"]])
        let daemon = try GitDaemon(serving: fixture.folder)
        for url in ["file://\(fixture.store.path)", "\(daemon.url)/store.git"] {
            let folder = try TemporaryFolder("submodule")
            let source = folder.file("project")
            let identity = ["-c", "user.name=t", "-c", "user.email=t@t"]
            _ = try run("git", ["init", "-q", source])
            let main = try MainRepository(containing: source)
            // The set is not the newest, so a clone of the branch reaches it only through the
            // journal.
            try main.write(try GitlinkPin(path: "refs", url: url, set: history.sets[1]))
            _ = try run("git", ["-C", source] + identity + ["commit", "-q", "-m", "x"])
            let clone = folder.file("clone")
            _ = try run("git", ["clone", "-q", source, clone])
            let settings = [
                "-c", "protocol.version=\(protocolVersion)", "-c", "protocol.file.allow=always",
            ]
            let depth = shallow ? ["--depth", "1"] : []
            let result = try run(
                "git",
                ["-C", clone] + settings + ["submodule", "update", "-q", "--init"] + depth,
                environment: daemon.environment
            )
            #expect(result.status == 0, "\(url): \(result.errors)")
            let picture = try? String(contentsOfFile: clone + "/refs/a/S/1.png", encoding: .utf8)
            #expect(picture == "PNG 2")
        }
        #expect(try fixture.faults() == [])
    }
}

/// `git daemon` without a port and without a process that outlives its caller.
///
/// Git runs it as the proxy of `git://` URLs, one for each connection. A daemon that keeps running
/// would inherit the descriptors by which Foundation detects the end of another test's process.
struct GitDaemon {
    /// The environment of every `git` that connects to the daemon.
    let environment: [String: String]
    let url = "git://daemon.invalid"

    init(serving folder: TemporaryFolder) throws {
        let script = try folder.write(
            "daemon.sh",
            """
            #!/bin/sh
            exec git daemon --inetd --export-all --log-destination=none --base-path='\(folder.path)'

            """
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: script)
        environment = ["GIT_PROXY_COMMAND": script]
    }
}
