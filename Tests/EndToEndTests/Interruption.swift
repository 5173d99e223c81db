// A `refs` command that is killed while it writes: its starting state, and the state after an
// undisturbed run. The projects are big enough that most of the time goes into writing.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

/// A command that changes a store or a work tree.
struct Interruption: CustomTestStringConvertible, Sendable {
    let name: String
    let template: @Sendable () throws -> ReferencesProject
    let arguments: @Sendable (ReferencesProject) -> [String]
    /// The folder in which it runs and the store it writes to, relative to the project's folder.
    var workFolder = "main"
    var store = "store.git"
    var kills = 8

    var testDescription: String { name }

    static let all = [
        Interruption(
            name: "import",
            template: { try BigProject.drawn.get() },
            arguments: { _ in ["import", "--cell", "A", "--no-weight"] },
            kills: 4
        ),
        Interruption(
            name: "commit",
            template: { try BigProject.redrawn.get() },
            arguments: { _ in ["commit"] },
            kills: 6
        ),
        Interruption(
            name: "push",
            template: { try BigProject.recorded.get() },
            arguments: { ["push", "--remote", $0.folder.file("far.git")] },
            store: "far.git"
        ),
        Interruption(
            name: "fetch",
            template: { try BigProject.behind.get() },
            arguments: { ["fetch", "--remote", $0.folder.file("far.git")] }
        ),
        Interruption(
            name: "checkout",
            template: { try BigProject.cloned.get() },
            arguments: { _ in ["checkout", "--layout", "fb", "--folder", BigProject.folder] },
            workFolder: "clone",
            kills: 4
        ),
        Interruption(
            name: "prune",
            template: { try BigProject.superseded.get() },
            arguments: { _ in
                ["prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0"]
            }
        ),
    ]

    func start(_ project: ReferencesProject) throws -> TestProcess {
        try project.program(in: workFolder).start(["refs"] + arguments(project))
    }

    /// Returns the state after an undisturbed run; equal references give equal states.
    func outcome(_ project: ReferencesProject) throws -> [String] {
        let folder = project.folder.file(workFolder)
        let pin = try ReferencePin(parsing: Data(project.pin.utf8))
        let status = try ReferenceCheckout(workTree: folder).status(pin: pin, cells: [])
        return [pin.text, "clean \(status.isClean), moved \(status.pinMoved)"]
            + (try project.sets()) + (try project.sets(project.folder.file(store)))
    }

    /// Returns timestamps that change as soon as the command writes.
    func traces(_ project: ReferencesProject) -> [String] {
        let root = project.folder.path
        let folders = [
            "\(store)/objects", "\(store)/objects/pack", "\(store)/refs/snapfarm",
            "\(store)/refs/heads", workFolder, "\(workFolder)/\(BigProject.folder)",
        ]
        return folders.map { folder in
            var status = stat()
            guard lstat("\(root)/\(folder)", &status) == 0 else { return "" }
            return "\(status.st_mtim.tv_sec).\(status.st_mtim.tv_nsec) \(status.st_nlink)"
        }
    }
}

/// Projects of several hundred pictures, each made once.
enum BigProject {
    static let folder = "Tests/ReferenceImages_64"
    private static let suites = 6
    private static let picturesPerSuite = 50

    /// A project with three references and 300 pictures that are not references yet.
    static let drawn = Result {
        let project = try ReferencesProject.imported()
        try draw(project, suites: 0..<suites, seed: 1)
        return project
    }

    /// All pictures are references; the remote `far.git` has only the first three.
    static let recorded = Result {
        let project = try ReferencesProject(copying: drawn.get())
        let far = project.folder.file("far.git")
        try project.refsSucceed("init", "--remote", far)
        try project.refsSucceed("push", "--remote", far)
        try FileManager.default.removeItem(atPath: project.main + "/.snapfarm-checkout.json")
        try project.refsSucceed("import", "--cell", "A", "--no-weight")
        try project.commit("many")
        return project
    }

    /// The 300 pictures now look different from their references.
    static let redrawn = Result {
        let project = try ReferencesProject(copying: recorded.get())
        try draw(project, suites: 0..<suites, seed: 3)
        return project
    }

    /// The remote has the pinned set; the local store has only the earlier set.
    static let behind = Result {
        let project = try ReferencesProject(copying: recorded.get())
        try project.refsSucceed("push", "--remote", project.folder.file("far.git"))
        let files = FileManager.default
        try files.removeItem(atPath: project.store)
        try files.copyItem(atPath: try drawn.get().store, toPath: project.store)
        try project.folder.write("before.refs", try drawn.get().pin)
        return project
    }

    /// The main repository has a clone without pictures.
    static let cloned = Result {
        let project = try ReferencesProject(copying: recorded.get())
        try project.git("clone", "-q", "main", "clone", in: project.folder.path)
        return project
    }

    /// Two suites were recorded again, and no pin names the earlier sets.
    static let superseded = Result {
        let project = try ReferencesProject(copying: recorded.get())
        try draw(project, suites: 0..<2, seed: 2)
        try project.refsSucceed("commit")
        try project.commit("two suites again")
        return project
    }

    /// Draws pictures of noise; the same seed gives the same pictures.
    static func draw(_ project: ReferencesProject, suites: Range<Int>, seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for suite in suites {
            for number in 0..<picturesPerSuite {
                let picture = Project.png(noise: &random, side: 40)
                try project.folder.write("main/\(folder)/Suite\(suite)/p\(number).png", picture)
            }
        }
    }
}
