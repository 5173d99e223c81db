// Tests of a run's zip with references that differ from the run's pin, or with pictures of cells
// that the run does not list: only pictures that were shown may be accepted.
import FarmCore
import FarmRun
import FarmServer
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("A zip with a forged reference", .serialized)
    struct ForgedZipTests {
        /// Rewrites the zip of a red run with one forgery in its manifest, summary and files.
        private static let forge = """
            import hashlib, json, sys, zipfile
            kind, source, target, fake = sys.argv[1:5]
            fake = open(fake, "rb").read()
            name = hashlib.sha1(b"blob %d\\0" % len(fake) + fake).hexdigest()
            files = {}
            with zipfile.ZipFile(source) as old:
                for entry in old.namelist():
                    files[entry] = old.read(entry)
            for document in ("manifest.json", "summary.json"):
                value = json.loads(files[document])
                picture = [one for one in value["snapshots"]
                           if one.get("snapshot", one.get("id")) == "A/Suite/one"][0]
                if kind in ("reference", "reference and picture"):
                    picture["reference"] = name
                if kind == "new":
                    picture["verdict"], picture["reference"] = "new", ""
                if kind == "cell":
                    added = json.loads(json.dumps(picture).replace("A/Suite", "B/Suite"))
                    added["cell"] = "B"
                    if document == "manifest.json":
                        del added["cell"]
                    value["snapshots"].append(added)
                if kind == "listed in the summary" and document == "summary.json":
                    value["cells"].append(dict(value["cells"][0], id="B"))
                files[document] = json.dumps(value).encode()
            for entry in files:
                if "picture" in kind and entry.endswith("/reference_one.png"):
                    files[entry] = fake
            with zipfile.ZipFile(target, "w") as new:
                for entry in files:
                    new.writestr(entry, files[entry])
            """

        /// Returns a project with a red run; only the run's zip is left.
        private func red() throws -> Project {
            let project = try Project(scenes: ["one", "two"], devices: ["A"])
            #expect(try project.run(["--mode", "record"]).status == 0)
            try project.folder.write("pictures/one.png", Project.png(shade: 150))
            #expect(try project.run().status == 1)
            try FileManager.default.removeItem(atPath: project.folder.file(".snapfarm"))
            return project
        }

        private func forge(_ kind: String, _ project: Project) throws {
            try project.folder.write("fake.png", Project.png(shade: 250))
            let words = [
                "python3", "-c", Self.forge, kind, "snapfarm-out/FailureDiffs.zip", "forged.zip",
                "fake.png",
            ]
            let ended = try TestProcess.run(words, in: project.folder.path)
            try #require(ended.status == 0, "\(ended.said)")
        }

        private func desk(_ project: Project) async throws -> RunPage {
            var request = ReviewRequest(
                .from(project.folder.file("forged.zip")),
                environment: ProcessInfo.processInfo.environment
            )
            request.file = project.folder.file("app.yaml")
            return try await RunPage.open(request, say: { _ in })
        }

        @Test(
            "a run that says another reference than its pin, or a cell that it does not list, is refused",
            arguments: [
                ("reference", "but its pin has"), ("reference and picture", "but its pin has"),
                ("new", "is new, but its pin has the reference"),
                ("cell", "does not list that cell"),
                ("listed in the summary", "summary.json is not that of run"),
            ]
        )
        func refused(kind: String, words: String) async throws {
            let project = try red()
            try forge(kind, project)
            let pin = project.text("snapfarm.refs")
            if kind != "listed in the summary" {
                let approved = try project.program().run(["approve", "--from", "forged.zip"])
                #expect(approved.status == 65 && approved.errors.contains(words), "\(approved)")
                #expect(project.text("snapfarm.refs") == pin)
            }
            let error = await #expect(throws: (any Error).self) { try await desk(project) }
            let message = (error as? any ExplainedError)?.message ?? ""
            #expect(message.contains(words), "\(message)")
        }

        @Test("beside a picture the page shows the pin's own reference, whatever the zip holds")
        func shown() async throws {
            let project = try red()
            try forge("picture", project)
            let desk = try await desk(project)
            let summary = try await desk.summary()
            let picture = try #require(summary.snapshots.first { $0.verdict == .changed })
            let path = try #require(picture.files["reference"])
            let bytes = try #require(try await desk.file(path))
            #expect(ObjectID(ofBlob: bytes).hex == picture.reference)
            #expect(bytes != Project.png(shade: 250))
            #expect(!summary.problems.contains { $0.code == "references-not-compared" })
        }

        @Test(
            "where the store lacks the run's pin, page and terminal say that nothing was compared"
        )
        func unknown() async throws {
            let project = try red()
            try forge("picture", project)
            let recorded = try project.run(["--mode", "record"])
            #expect(recorded.status == 0, "\(recorded.said)")
            let days = ["--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
            let commit = """
                git init -q && git add snapfarm.refs \\
                  && git -c user.name=t -c user.email=t@t commit -qm pin
                """
            #expect(try TestProcess.run(["sh", "-c", commit], in: project.folder.path).status == 0)
            let pruned = try project.program().run(["refs", "prune", "--yes"] + days)
            #expect(pruned.status == 0, "\(pruned.said)")
            let problems = try await desk(project).summary().problems
            #expect(problems.contains { $0.code == "references-not-compared" }, "\(problems)")
            let rejected = try project.program().run(["reject", "--from", "forged.zip"])
            #expect(rejected.output.contains("unknown here"), "\(rejected.output)")
        }
    }
}
