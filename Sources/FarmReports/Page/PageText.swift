// The texts of the page in one table: each language is one value with every text, so that none can
// be forgotten. `{1}` and `{2}` stand for what the page or its script puts there.
import FarmCore

/// All words of the page in one language.
struct PageText: Sendable {
    // The top.
    let language: PageLanguage
    let skipToChanges: String
    let mode: @Sendable (RunMode) -> String
    let aPart: String
    let state: @Sendable (RunState) -> String
    let verdict: @Sendable (Verdict?) -> String
    /// The run in one sentence.
    let headline: @Sendable (RunSummary) -> String
    /// The word for one of ``RunFacts``' facts.
    let fact: @Sendable (String) -> String
    let compared: String
    /// Of changes in pictures.
    let changesInPictures: @Sendable (Int, Int) -> String
    let runs: String
    let howFar: String
    let otherLanguage: String

    // Sections.
    let problems: String
    /// Problems that only inform.
    let notes: String
    /// `1 test and 12 pictures follow from it.`; empty for none.
    let follows: @Sendable (ProblemFinding) -> String
    /// Above the English sentences of the tool.
    let toolDetail: String
    let quarantined: String
    /// A date and a reason.
    let quarantinedUntil: String
    let rejectedBefore: String
    let matrix: String
    let testsByCell: String
    let cell: String
    let planned: String
    let skipped: String
    let all: String
    let skippedTests: String
    let incomplete: String
    /// A count, a verdict and a cell.
    let showThem: String
    let changes: String
    let allAsExpected: String
    let foldedChanges: String
    let tests: String
    let testsOf: @Sendable (Int) -> String
    let attempts: @Sendable (Int) -> String
    let output: String
    let log: String
    /// Of an attempt whose worker was lost.
    let lost: String
    let catalogue: String
    let nothingMatches: String
    /// Says how many more of something a limit left out.
    let rest: @Sendable (Int, PageThing) -> String

    // Words that a reader may not know, with what they mean.
    let glossary: String
    let glossaryWords: [(word: String, meaning: String)]
    /// Phrases of runs about pictures, by their English ones.
    let phrases: [String: String]
    /// Said of a picture from a machine that had too much to do.
    let busyMachine: String

    // A change.
    let largestDelta: @Sendable (Int) -> String
    let pixels: @Sendable (Int) -> String
    let cells: @Sendable (Int) -> String
    /// What ``ChangeSummary/cells`` says.
    let place: @Sendable (String) -> String
    let showCells: @Sendable (Int) -> String
    let allChanges: String
    /// Of how many changes a page shows which.
    let part: @Sendable (_ first: Int, _ last: Int, _ all: Int) -> String
    let previous: String
    let next: String
    let reference: String
    let anotherTake: String
    let thisRun: String
    let difference: String
    let noReference: String
    let notMade: String
    let legend: String
    let legendWords: [(mark: String, words: String)]

    // Filters and keys.
    let filter: String
    let verdicts: String
    let filterByName: String
    let allCells: String
    let suite: String
    let allSuites: String
    let compare: String
    let sideBySide: String
    let swipe: String
    let blink: String
    let showRegions: String
    let decisions: String
    let keys: String
    let keyWords: [(keys: String, words: String)]
    /// Where people decide.
    let decideKeyWords: [(keys: String, words: String)]

    // Ticks.
    let take: String
    let ticked: String
    let accept: String
    let reject: String
    let why: String
    let copyCommand: String
    let copyComment: String
    let theText: String
    let command: String
    let comment: String

    // Decisions.
    let mark: @Sendable (PageDecision) -> String
    let by: @Sendable (_ who: String, _ when: String) -> String
    let mixed: @Sendable (_ accepted: Int, _ rejected: Int, _ open: Int) -> String
    let say: String
    let undo: String
    /// Asked above the fields for a rejection and for a comment.
    let whatIsWrong: String
    let yourComment: String
    /// Of changes in pictures that were accepted with one press.
    let undoAll: @Sendable (Int, Int) -> String
    let tickedOnly: String
    let progress: @Sendable (_ decided: Int, _ all: Int) -> String
    /// Of changes in pictures that are still to decide.
    let acceptAll: @Sendable (Int, Int) -> String
    let tooManyAtOnce: @Sendable (_ pictures: Int, _ most: Int) -> String
    /// Of the accepted pictures, `removed` will leave the references.
    let publish: @Sendable (_ pictures: Int, _ removed: Int) -> String
    /// What a form did to so many pictures; 0 where it was so before.
    ///
    /// Of them `removed` leave the references, or have left them.
    let decided: @Sendable (Decision.Kind, _ pictures: Int, _ removed: Int) -> String
    let nothingAccepted: String
    let lookOnly: String
    let pinToCommit: String
    /// Says where the pin of a publication is, and what a person does next.
    let publishedPin: @Sendable (PublishedPin) -> String
    let pinPatch: String
    let copy: String

    /// What the script says.
    let script: [String: String]
}

/// What a limit may cut.
enum PageThing: Sendable {
    case changes, cells, tests, skippedTests, quarantined, rejections, pictures
}

/// What is decided about a change or a picture.
enum PageDecision: String, Sendable, CaseIterable {
    case open, accepted, rejected, published, mixed
}

extension PageLanguage {
    var text: PageText {
        switch self {
        case .english: .english
        case .japanese: .japanese
        }
    }
}
