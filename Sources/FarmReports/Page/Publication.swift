// The outcome of a publication as values; each language of the page makes its own sentences from
// them.
import FarmCore

package struct Publication: Hashable, Sendable {
    /// The number of pictures that this publication published; 0 if all of them were published
    /// before.
    package var pictures: Int
    /// The number of the published pictures that left the references.
    package var removed: Int
    /// The state of the pin after the publication, or `nil` if there was nothing to publish.
    package var pin: PublishedPin?

    package init(pictures: Int, removed: Int, pin: PublishedPin?) {
        self.pictures = pictures
        self.removed = removed
        self.pin = pin
    }
}

/// The state of the pin after a publication, which decides the next step of the reviewer.
package enum PublishedPin: Hashable, Sendable {
    /// The pin named the published set already.
    case same
    /// The program moved the pin in a work tree; `command` commits it.
    case moved(command: String)
    case committed(set: ObjectID, branch: String, repository: String, commit: ObjectID)
    /// A person must move the pin; `reason` says why the program does not, or is `nil` without a
    /// repository.
    case open(set: ObjectID, reason: NoBranchOfRun?)
    /// An earlier publication published the pictures; `who` made it, or is empty if unknown.
    ///
    /// A person must move the pin if no `commit` has it.
    case before(who: String, set: ObjectID?, commit: ObjectID?)

    /// The next shell command for the person who published, or empty if there is none.
    package var command: String {
        if case .moved(let command) = self { command } else { "" }
    }
}

/// The reason why there is no branch on which to commit a run's pin, such as a fork, a rebase or a
/// start by hand.
package enum NoBranchOfRun: Error, Hashable, Sendable {
    /// The facts of the run lack its branch or commit.
    case unknown
    /// The branch in the facts of the run is not a valid name of a branch.
    case badName
    case missing(branch: String, repository: String)
    /// The branch does not have the commit that was run.
    case otherCommits(branch: String, repository: String, commit: ObjectID)
    /// The pin of the run's plan names the set already.
    case pinned
}

extension HTMLReport {
    /// Returns the sentences about a publication, for the top of the page.
    package static func published(
        _ publication: Publication,
        in language: PageLanguage
    ) -> String {
        let did = decided(
            .published,
            publication.pictures,
            removed: publication.removed,
            in: language
        )
        return did + (publication.pin.map { " " + language.text.publishedPin($0) } ?? "")
    }
}

extension PageText {
    static func english(_ pin: PublishedPin) -> String {
        func move(_ set: ObjectID) -> String {
            "Pin it in the main repository: snapfarm refs pin move \(set.hex)"
        }
        switch pin {
        case .same: return "The pin has them already."
        case .moved: return "The reference set has moved. Run this in your repository, then push:"
        case .committed(let set, let branch, let repository, let commit):
            return "The set is \(set.hex). Committed to \(branch) of \(repository): \(commit.hex)."
        case .open(let set, let reason):
            let why = reason.map { english($0) + ". " } ?? ""
            return "The set is \(set.hex). \(why)\(move(set))"
        case .before(let who, let set, let commit):
            let done = "\(who.isEmpty ? "Somebody" : who) has published them already"
            guard let set else { return done + "." }
            let note = "set \(set.hex)" + (commit.map { " commit \($0.hex)" } ?? "")
            return "\(done) (\(note))." + (commit == nil ? " " + move(set) : "")
        }
    }

    private static func english(_ reason: NoBranchOfRun) -> String {
        switch reason {
        case .unknown: "The run does not say its branch and commit"
        case .badName: "The run's branch is no name of a branch"
        case .missing(let branch, let repository): "\(repository) has no branch \(branch)"
        case .otherCommits(let branch, let repository, let commit):
            "The branch \(branch) of \(repository) does not have the commit \(commit.short) that "
                + "was run"
        case .pinned: "The run's pin names them already"
        }
    }

    static func japanese(_ pin: PublishedPin) -> String {
        func move(_ set: ObjectID) -> String {
            "リポジトリで実行してください: snapfarm refs pin move \(set.hex)"
        }
        switch pin {
        case .same: return "ピンはすでにこれらの画像を指しています。"
        case .moved: return "参照セットを更新しました。リポジトリで実行してからプッシュしてください:"
        case .committed(let set, let branch, let repository, let commit):
            return "参照セットは \(set.hex) です。\(repository) の \(branch) にコミットしました: \(commit.hex)"
        case .open(let set, let reason):
            return "参照セットは \(set.hex) です。\(reason.map(japanese) ?? "")\(move(set))"
        case .before(let who, let set, let commit):
            let done = (who.isEmpty ? "ほかの人" : "\(who)さん") + "が公開済みです"
            guard let set else { return done + "。" }
            let note = "（参照セット \(set.hex)" + (commit.map { "、コミット \($0.hex)" } ?? "") + "）。"
            return done + note + (commit == nil ? move(set) : "")
        }
    }

    private static func japanese(_ reason: NoBranchOfRun) -> String {
        switch reason {
        case .unknown: "実行のブランチとコミットが分からないため、コミットしていません。"
        case .badName: "実行のブランチ名が正しくないため、コミットしていません。"
        case .missing(let branch, let repository):
            "\(repository) にブランチ \(branch) がないため、コミットしていません。"
        case .otherCommits(let branch, let repository, let commit):
            "\(repository) の \(branch) に、テストしたコミット \(commit.short) がないため、コミットしていません。"
        case .pinned: "実行のピンは、すでにこの参照セットを指しています。"
        }
    }
}
