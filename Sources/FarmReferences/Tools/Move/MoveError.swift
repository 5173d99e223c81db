// The errors of moving and retiring references, each with a remedy.
import FarmCore

/// An error of moving references.
package enum MoveError: ExplainedError, Equatable {
    /// No reference of the pin is at the path.
    case nothingThere(String)
    case nothingMatches(String)
    /// The pattern of the new names has other wildcards than that of the old names.
    case otherWildcards(old: String, new: String)
    case badPath(String, reason: String)
    /// Other pictures have `count` of the new names; the value is the first of them.
    case taken(SnapshotID, count: Int)
    case sameName(String)
    /// Two pictures would get the same name.
    case twice(SnapshotID)
    /// The pin is not the plan's base.
    case planOutdated

    package var code: String {
        switch self {
        case .nothingThere: "move-nothing-there"
        case .nothingMatches: "move-nothing-matches"
        case .otherWildcards: "move-pattern-invalid"
        case .badPath: "move-path-invalid"
        case .taken: "move-target-taken"
        case .sameName: "move-same-name"
        case .twice: "move-names-collide"
        case .planOutdated: "move-plan-outdated"
        }
    }

    package var exit: ExitCode {
        switch self {
        case .planOutdated: .busy
        default: .invalidInput
        }
    }

    package var message: String {
        switch self {
        case .nothingThere(let path): "no reference lies at \(path.debugDescription)."
        case .nothingMatches(let pattern): "no picture matches \(pattern.debugDescription)."
        case .otherWildcards(let old, let new):
            "\(new.debugDescription) has not the same `*` and `?` as \(old.debugDescription)."
        case .badPath(let path, let reason): "\(path.debugDescription) \(reason)."
        case .taken(let id, let count):
            "\(count) of the new names are taken, for example \(id)."
        case .sameName(let path): "\(path.debugDescription) is the old and the new name."
        case .twice(let id): "two pictures would be named \(id)."
        case .planOutdated: "the pin has changed since the plan was made."
        }
    }

    package var remedy: String {
        switch self {
        case .nothingThere: "`snapfarm refs show` lists cells and suites."
        case .nothingMatches:
            "A pattern is for whole names, <cell>/<suite>/<name>; `*` also takes `/`. "
                + "`snapfarm refs show` lists cells and suites."
        case .otherWildcards:
            "Write as many in the same order: each stands for the text that the old one matched, as in "
                + "'*/Checkout/*' '*/Payment/*'."
        case .badPath: "Write <cell>, <cell>/<suite> or <cell>/<suite>/<name>.png."
        case .taken: "Retire what is there first (`snapfarm refs retire`), or choose another name."
        case .sameName: "Name another cell, suite or picture."
        case .twice: "Make the new name or the rename rule tell them apart."
        case .planOutdated: "Run the command again."
        }
    }
}
