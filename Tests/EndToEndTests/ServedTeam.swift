// A team whose coordinator commits pins: main repository and store on one Git host, a fleet, and a
// branch with a run to decide about.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import ReferenceTesting
import Testing

final class ServedTeam {
    let host: StoreHost
    let fleet: Fleet
    /// The work tree of the submitted runs, on the branch `work`.
    let project: Project
    /// The environment that Git and the farm need to reach the host.
    let access: [String: String]
    /// The id of the run to decide about.
    private(set) var red = ""

    /// Makes the team; `configuration` holds further lines of the coordinator's configuration.
    init(_ kind: StoreLocation.Kind, commits: Bool = true, configuration: String = "") throws {
        host = try StoreHost(kind)
        try host.make("main")
        try host.makeStore("store")
        project = try Project(scenes: ["one", "two", "three"], devices: ["A"])
        fleet = try Fleet(project)
        access = try host.environment()
        let (store, main) = (try host.location("store"), try host.location("main"))
        let pipeline = project.text("app.yaml").replacing(
            "store: store.git",
            with: "store: \"\(store.url)\""
        )
        try project.folder.write("app.yaml", pipeline)
        try project.folder.write(
            ".gitignore",
            ".snapfarm/\nsnapfarm-out/\nred/\ngreen/\nstore.git/\n"
        )
        fleet.configuration =
            fleet.configuration.replacing(
                "stores: {app: \(project.folder.file("store.git"))}",
                with: "stores: {app: \"\(store.url)\"}"
            )
        if commits {
            let token = kind == .https ? ", token: MAIN_TOKEN" : ""
            fleet.configuration += "\nrepositories: {app: {url: \"\(main.url)\"\(token)}}"
        }
        fleet.configuration += configuration
        fleet.environment = access.merging(["MAIN_TOKEN": StoreHost.token]) { $1 }
        try fleet.serve()
        try git("init", "-q", "-b", "work", ".")
        try push("the app")
    }

    /// Runs Git in the work tree.
    @discardableResult
    func git(_ words: String..., in folder: String? = nil) throws -> String {
        try SharedProject.git(words, in: folder ?? project.folder.path).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs Git in a repository of the host, on the host's disk.
    func there(_ name: String, _ words: String...) throws -> String {
        try SharedProject.git(["-C", host.path(name)] + words, in: host.folder.path).output
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Commits everything and pushes it to the branch, through the host's disk.
    func push(_ message: String, in folder: String? = nil) throws {
        try git("add", "-A", in: folder)
        try git("commit", "-qm", message, in: folder)
        try git("push", "-q", host.path("main"), "HEAD:work", in: folder)
    }

    func run(_ words: [String]) throws -> ProcessEnding {
        let commit = try git("rev-parse", "HEAD")
        var program = try fleet.submitting()
        program.environment.merge([
            "GITLAB_CI": "true", "CI_COMMIT_SHA": commit, "CI_COMMIT_REF_NAME": "work",
        ]) { $1 }
        return try program.run(["run", "app.yaml", "--coordinator", fleet.url] + words)
    }

    /// Records on the fleet, then makes a run with changed pictures of `one` and `two`.
    func makeRed() throws {
        _ = try fleet.startWorker("far")
        let recorded = try run(["--mode", "record"])
        try #require(recorded.status == 0, "\(recorded.said)\(fleet.log)")
        try push("references")
        for (index, name) in ["one", "two"].enumerated() {
            try project.folder.write("pictures/\(name).png", Project.png(shade: UInt8(200 + index)))
        }
        try push("a new look")
        let ended = try run(["--output", "red"])
        try #require(ended.status == 1, "\(ended.said)\(fleet.log)")
        red = try project.summary("red").run.id
    }

    var page: String { "/runs/\(red)" }

    /// The pin of the branch.
    var pin: ReferencePin {
        get throws {
            let text = try there("main", "show", "work:snapfarm.refs") + "\n"
            return try ReferencePin(parsing: Data(text.utf8), file: "pin")
        }
    }

    /// Returns whether the store has the set of a pin.
    func isAvailable(_ pin: ReferencePin) throws -> Bool {
        try there("store", "for-each-ref", "refs/snapfarm/sets").contains(pin.setID.hex)
    }

    func visitor() throws -> Visitor {
        var visitor = Visitor(fleet)
        try visitor.logIn(try fleet.token("review"))
        return visitor
    }

    func accept(_ names: String..., by visitor: inout Visitor) throws {
        let form = try visitor.formToken()
        let answer = try visitor.post(
            page + "/decisions",
            [("token", form), ("kind", "accepted")] + names.map { ("snapshot", "A/Suite/\($0)") },
            accepting: "application/json"
        )
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Checks that the page explains the origin of a reference, lists the set that the run was
    /// compared with, and shows thumbnails of both.
    func expectReferences(of pin: ReferencePin, by visitor: Visitor) throws {
        let why = try visitor.get(page + "/baseline?snapshot=A/Suite/one")
        #expect(why.status == 200 && why.text.contains(pin.setID.hex.prefix(10)), "\(why.text)")
        let catalogue = try visitor.get(page + "/catalogue")
        #expect(catalogue.status == 200, "\(catalogue.text)")
        var pictures = catalogue.text.matches(of: /(thumbs|pictures)\/[0-9a-f]{40}\.png/)
            .map { page + "/catalogue/" + $0.output.0 }
        #expect(Set(pictures).count == 6, "\(catalogue.text)")
        let files = try visitor.get(page + "/").text.matches(of: /\/files\/([^"]+\.png)/)
        #expect(!files.isEmpty)
        pictures += files.map { page + "/thumbs/" + $0.output.1 }
        for picture in Set(pictures) {
            let answer = try visitor.get(picture)
            #expect(answer.status == 200, "\(picture)")
            #expect(answer.body.starts(with: [0x89, 0x50, 0x4E, 0x47]), "\(picture)")
        }
    }

    func publish(by visitor: inout Visitor) throws -> RawConnection.Response {
        let form = try visitor.formToken()
        return try visitor.post(
            page + "/publish",
            [("token", form)],
            accepting: "application/json"
        )
    }
}
