// The sources of an import: the files of a main repository that are references, and their ids. The
// ids are those of a record run (FarmPipeline/Frameworks/Profiles): suite and name are the
// framework's own folder and file name. Only the cell is extracted from them.
import FarmCore
import FarmGit

/// The rule by which an import finds pictures in a repository.
package enum ImportSource: Sendable {
    /// The folders of test frameworks and other tools: `ReferenceImages…/<suite>/<name>.png` of
    /// iOSSnapshotTestCase and `__Snapshots__…/<suite>/<name>.png` of swift-snapshot-testing in any
    /// folder, and the folders of `VisualTool`.
    ///
    /// With scenes, pictures of tools that snapfarm replaces get the ids of the scenes.
    case frameworks(SceneNames?)
    case pattern(ImportPattern)

    /// The meaning of a file's path for an import.
    enum Place {
        /// A reference picture. With `namesDevice`, the framework may write the device into the
        /// file's name.
        case picture(LayoutPlace, namesDevice: Bool)
        /// A picture of another tool. `variant` contains its words for viewport and browser.
        case foreign(LayoutPlace, variant: [String], tool: VisualTool)
        /// A file in a folder of references that is not a reference.
        case unusable(ImportFault)
        case elsewhere
    }

    func place(of path: String) -> Place {
        switch self {
        case .pattern(let pattern):
            guard let place = pattern.match(path) else { return .elsewhere }
            return .picture(place, namesDevice: true)
        case .frameworks(let scenes):
            if let picture = VisualTool.picture(at: path) { return Self.foreign(picture, scenes) }
            let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
            guard let file = parts.last else { return .elsewhere }
            for (index, part) in parts.dropLast().enumerated() {
                let isFB = part.hasPrefix("ReferenceImages")
                guard isFB || part.hasPrefix(ReferenceLayout.pointFreeFolder) else { continue }
                guard file.hasSuffix(".png"), file.utf8.count > 4 else {
                    return .unusable(.notNamedPNG)
                }
                // Failed pictures of swift-snapshot-testing lie in a folder with the test file's
                // name alone, so only that folder is the suite.
                let folders = parts[(index + 1)..<(parts.count - 1)]
                let suite = isFB ? folders.joined(separator: "/") : folders.last ?? ""
                guard !suite.isEmpty else { return .unusable(.noSuite) }
                return .picture(
                    LayoutPlace(cell: nil, suite: suite, name: String(file.dropLast(4))),
                    namesDevice: isFB
                )
            }
            return .elsewhere
        }
    }

    private static func foreign(_ picture: VisualTool.Picture, _ scenes: SceneNames?) -> Place {
        let own = LayoutPlace(cell: nil, suite: picture.suite, name: picture.name)
        guard picture.tool.isReplaced, let scenes else {
            return .foreign(own, variant: picture.variant, tool: picture.tool)
        }
        guard let found = scenes.scene(of: picture) else {
            return .unusable(.noScene(picture.tool))
        }
        return .foreign(found.place, variant: found.variant, tool: picture.tool)
    }
}

/// The reason why a file is not imported, or an import does not begin.
package enum ImportFault: ExplainedError, Equatable {
    case notNamedPNG
    case noSuite
    /// No scene of the job has the other tool's name for the picture.
    case noScene(VisualTool)
    case link
    case special
    case nameNotUTF8
    /// Two pictures have the same id; `other` is the path of the first one.
    case duplicate(SnapshotID, other: String)
    /// Another picture has the same path if case is ignored.
    case collision(String, String)
    case pattern(String, reason: String)
    /// Some pictures are refused, so nothing is imported.
    case refused(count: Int, first: String)
    /// There is no picture to import. `fact` says where none was found, `hint` proposes what to
    /// try.
    case nothing(fact: String, hint: String)
    /// A file changed between plan and import.
    case changedMeanwhile(path: String)
    /// The clone is shallow.
    case shallow(path: String)
    /// The clone lacks pictures of its history.
    case partial(path: String, reason: String)
    case tooManyCommits(Int)
    /// `git` failed, or is not installed.
    case git(doing: String, reason: String)

    package var code: String {
        switch self {
        case .notNamedPNG, .noSuite, .noScene, .link, .special, .nameNotUTF8: "import-not-a-picture"
        case .duplicate: "import-duplicate"
        case .collision: "snapshot-paths-collide"
        case .pattern: "import-pattern-invalid"
        case .refused: "import-refused"
        case .nothing: "import-empty"
        case .changedMeanwhile: "import-changing"
        case .shallow: "import-history-shallow"
        case .partial: "import-history-partial"
        case .tooManyCommits: "import-history-too-long"
        case .git: "git-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .pattern: .usage
        case .changedMeanwhile: .busy
        case .shallow, .partial: .configuration
        case .git: .inputOutput
        default: .invalidInput
        }
    }

    package var message: String {
        switch self {
        case .notNamedPNG: "the file is not named .png."
        case .noSuite: "the picture lies in no suite's folder."
        case .noScene(let tool): "no scene of the job is called as \(tool.rawValue) calls it."
        case .link: "this is a symbolic link; links are not followed."
        case .special: "this is not a regular file."
        case .nameNotUTF8: "the name is not UTF-8."
        case .duplicate(let id, let other): "it would be \(id), as is \(other)."
        case .collision(let one, let other):
            "\(one) and \(other) are one file where case does not count."
        case .pattern(let text, let reason): "the pattern \(text.debugDescription) \(reason)."
        case .refused(let count, let first):
            "nothing was imported: \(count) picture\(count == 1 ? " is" : "s are") refused, "
                + "first \(first)."
        case .nothing(let fact, _): "nothing was imported: \(fact)."
        case .changedMeanwhile(let path): "\(path): the file changed since the plan was made."
        case .shallow(let path): "\(path): the clone is shallow, its history is cut off."
        case .partial(let path, let reason):
            "\(path): the clone is partial, it lacks files of its history (\(reason))."
        case .tooManyCommits(let count): "more than \(count) commits."
        case .git(let doing, let reason): "\(doing): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .notNamedPNG: "Leave it in the main repository; the store keeps PNG pictures only."
        case .noSuite: "Move it into the folder of its test class, or use `--pattern`."
        case .noScene: "Give a scene that name, or describe the paths with `--pattern`."
        case .link: "Replace the link by the file it points to."
        case .special: "Move it away."
        case .nameNotUTF8, .collision: "Rename the file, and the snapshot in the test."
        case .duplicate:
            """
            Import one of the folders only, or give each its cell \
            (`--cell 'FOLDER/**=CELL'`).
            """
        case .pattern:
            "Write it like `{cell}/{suite}/{name}.png`; `*`, `**` and `?` mean what they mean in paths."
        case .refused: "Mend or remove what is listed, then import again."
        case .nothing(_, let hint): hint
        case .changedMeanwhile: "Let the tests finish, then import again."
        case .shallow: "Fetch the rest with `git fetch --unshallow`, or import without history."
        case .partial:
            "Fetch the rest with `git fetch --refetch --no-filter`, or import without history."
        case .tooManyCommits: "Import a part of the history, or none."
        case .git: "Install git 2.29 or newer, and check the repository with `git fsck`."
        }
    }
}
