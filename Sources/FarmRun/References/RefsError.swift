// The errors of the `refs` commands themselves, and their remedies.
import FarmCore

/// An error of a `refs` command.
package enum RefsError: ExplainedError {
    case noPipeline
    case noReferences(String)
    case pinOutside(String, repository: String)
    /// The pin is tracked, but the sparse work tree does not contain it.
    case pinNotCheckedOut(String)
    case unknownSet(String)
    case ambiguousSet(String, count: Int)
    case badSnapshot(String)
    /// Neither the set nor the journal has the picture; `near` is one with a similar name.
    case unknownPicture(SnapshotID, near: String?)
    case badOption(String, String)
    /// The cell is unknown to `owner`, which is the pipeline or the pin.
    case unknownCell(String, owner: String, known: [String])
    /// `--select` matches nothing that was edited.
    case nothingSelected([String])
    case noRemote(store: String)
    case nothingToPush(pin: String)
    case noLayout
    /// The folder for a catalogue has other content.
    case notACatalogue(String)
    case needsYes
    case notAgreed
    case history(String, reason: String)
    case unusable(count: Int, first: String, reason: String)
    case noWorkTree(String)
    case nothingToMerge(String)
    case git(doing: String, reason: String)

    package var code: String {
        switch self {
        case .noPipeline: "pipeline-not-found"
        case .noReferences: "pipeline-without-references"
        case .pinOutside: "pin-outside-repository"
        case .pinNotCheckedOut: "pin-not-checked-out"
        case .unknownSet: "set-unknown"
        case .ambiguousSet: "set-ambiguous"
        case .badSnapshot: "snapshot-id-invalid"
        case .unknownPicture: "picture-unknown"
        case .badOption: "option-invalid"
        case .unknownCell: "cell-unknown"
        case .nothingSelected: "selection-invalid"
        case .noRemote: "store-without-remote"
        case .nothingToPush: "pin-missing"
        case .noLayout: "layout-unknown"
        case .notACatalogue: "output-not-empty"
        case .needsYes: "consent-needed"
        case .notAgreed: "consent-refused"
        case .history: "history-unreadable"
        case .unusable: "picture-unusable"
        case .noWorkTree: "work-tree-not-found"
        case .nothingToMerge: "merge-not-open"
        case .git: "git-failed"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .noPipeline, .badSnapshot, .badOption, .noLayout, .needsYes, .unknownCell: .usage
        case .nothingSelected: .incomplete
        case .unknownSet, .ambiguousSet, .history, .unusable, .nothingToMerge, .unknownPicture:
            .invalidInput
        case .pinNotCheckedOut: .configuration
        case .noReferences, .pinOutside, .noRemote, .noWorkTree, .nothingToPush: .configuration
        case .notAgreed: .differences
        case .notACatalogue: .usage
        case .git: .inputOutput
        }
    }

    package var message: String {
        switch self {
        case .noPipeline: "there is no pipeline file with references here or in pipelines/."
        case .noReferences(let file): "\(file): the pipeline has no references."
        case .pinOutside(let pin, let repository): "\(pin) is not inside \(repository)."
        case .pinNotCheckedOut(let pin):
            "\(pin) is not checked out: the work tree is sparse, so the references are not known."
        case .unknownSet(let text): "\(text.debugDescription) names no set, file or commit."
        case .ambiguousSet(let text, let count): "\(count) sets begin with \(text)."
        case .badSnapshot(let text): "\(text.debugDescription) is no snapshot."
        case .unknownPicture(let id, _): "\(id): the set has no such picture, and never had."
        case .badOption(let option, let fact): "\(option): \(fact)."
        case .unknownCell(let cell, let owner, _): "--cell \(cell): \(owner) has no such cell."
        case .nothingSelected(let words):
            "nothing that was edited here matches --select \(words.joined(separator: " "))."
        case .nothingToPush(let pin): "there is no pin at \(pin) yet, so there is no set to push."
        case .noRemote(let store): "the store \(store) is a folder, and no remote of it is known."
        case .noLayout: "it is not known yet where this project's references lie."
        case .needsYes: "standard input is no terminal, so no question can be answered."
        case .notAgreed: "nothing was done."
        case .history(let path, let reason): "\(path): \(reason)."
        case .unusable(let count, let first, let reason):
            "\(count) file\(count == 1 ? "" : "s") cannot become references, first \(first): "
                + reason
        case .notACatalogue(let path): "\(path) holds something that is no catalogue."
        case .noWorkTree(let folder): "\(folder): not in a Git work tree."
        case .nothingToMerge(let pin): "\(pin): no unfinished merge is here."
        case .git(let doing, let reason): "\(doing): \(reason)."
        }
    }

    package var remedy: String {
        switch self {
        case .noPipeline:
            "Name it with --pipeline FILE, or name --store STORE and --pin FILE."
        case .noReferences: "Add `references: {store: …, pin: snapfarm.refs}` to it."
        case .pinOutside: "Put the pin into the repository whose commits it belongs to."
        case .pinNotCheckedOut(let pin):
            "Add it to the checkout: `git sparse-checkout add \(pin)`; with actions/checkout name it under "
                + "`sparse-checkout:`."
        case .unknownSet: "`snapfarm refs log` lists the sets."
        case .ambiguousSet: "Write more of its id."
        case .badSnapshot: "Write <cell>/<suite>/<name>; `snapfarm refs diff` prints such names."
        case .unknownPicture(_, let near):
            (near.map { "Did you mean \($0.debugDescription)? " } ?? "")
                + "`snapfarm refs show` lists the pictures."
        case .badOption: "`snapfarm help refs` shows what the options take."
        case .unknownCell(let cell, _, let known): Self.otherCells(cell, known)
        case .nothingSelected: "`snapfarm refs status` lists what was edited; `*` is a wildcard."
        case .nothingToPush:
            "Make a set first: `snapfarm refs import`, or `snapfarm run FILE --mode record`."
        case .noRemote:
            """
            For a copy on a Git host make an empty repository there, then run the same command \
            with --remote URL.
            """
        case .noLayout:
            """
            Say it once: --layout fb --folder Tests/ReferenceImages_64, --layout point-free, or \
            --layout plain --folder FOLDER. Later checkouts here remember it.
            """
        case .needsYes: "Look at the plan with --dry-run, then repeat the command with --yes."
        case .notAgreed: ""
        case .history:
            "Name summary.json files of runs, a folder of them, or a file with name manifests."
        case .unusable: "Mend or delete these files; `snapfarm refs status` lists all of them."
        case .notACatalogue: "Name a new folder, or that of an earlier catalogue."
        case .noWorkTree: "Run the command inside a clone of the project."
        case .nothingToMerge: "Name the branch to merge: snapfarm refs merge BRANCH."
        case .git: "Check that git is installed and the repository can be written."
        }
    }

    private static func otherCells(_ cell: String, _ known: [String]) -> String {
        let meant = nearest(cell, among: known).map { "Did you mean \"\($0)\"? " } ?? ""
        let more = known.count > 8 ? ", … (\(known.count))" : ""
        return meant + "Cells: " + known.prefix(8).joined(separator: ", ") + more + "."
    }
}
