// A problem or a refusal in the language of a page. A problem is English sentences with a code. A
// page in another language explains the code and its remedy, and keeps the tool's own sentences,
// which have the names and numbers, as a detail.
import FarmCore

package struct TranslatedProblem: Hashable, Sendable {
    /// The cause of the problem, as a sentence.
    package let message: String
    /// The next step for the reader, as a sentence.
    package let remedy: String
    /// The tool's own English sentences; empty if they are `message` and `remedy`.
    package let detail: String

    /// Makes the sentences about a problem in a page's language.
    ///
    /// `exit` is the exit code of a refusal, or `nil` for a problem of a run.
    package init(_ problem: Problem, exit: ExitCode? = nil, in language: PageLanguage) {
        switch language {
        case .english:
            message = problem.message
            remedy = problem.remedy
            detail = ""
        case .japanese:
            let words =
                Self.japaneseProblems[problem.code] ?? Self.japaneseRefusals[problem.code]
                ?? exit.map(Self.japanese) ?? Self.japaneseUnknown
            message = words.message
            remedy = words.remedy
            detail = problem.description
        }
    }

    /// Makes the sentences about a finding, which stands for several problems that are alike.
    init(_ finding: ProblemFinding, in language: PageLanguage) {
        var problem = finding.problem
        problem.message = finding.message
        self.init(problem, in: language)
    }

    /// The message and the remedy in one line.
    package var line: String { message + (detail.isEmpty ? " " : "") + remedy }

    /// Returns the tool's own sentences as a fold; empty if they are the message and the remedy.
    func details(_ language: PageLanguage) -> HTML {
        guard !detail.isEmpty else { return "" }
        return """
            <details class="detail"><summary>\(language.text.toolDetail)</summary>\
            <span lang="en"><bdi>\(LegalText.line(detail))</bdi></span></details>
            """
    }
}
