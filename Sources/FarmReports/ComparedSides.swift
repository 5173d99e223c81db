// The facts on the page of a comparison beside the differences: the two sides, and the acceptance of
// each difference.
import FarmCore

/// The name and the kind of one side of a comparison.
package struct SideTitle: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case file, folder
        /// A run; one that is not whole has not made all pictures of its pipeline.
        case run(id: String, commit: String, isWhole: Bool)
        /// A reference set, by its id.
        case set(String)
    }

    /// The name that the user gave the side.
    package var name: String
    package var kind: Kind

    package init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The name for a page that others see: of an absolute path, only the last part.
    var shown: String {
        let parts = name.utf8.split(separator: UInt8(ascii: "/"))
        guard name.utf8.first == UInt8(ascii: "/"), let last = parts.last else {
            return LegalText.line(name)
        }
        return LegalText.line(String(Substring(last)))
    }
}

/// The two sides of a comparison, with the acceptances of the differences between them.
package struct ComparedSides: Hashable, Sendable {
    package var left: SideTitle
    package var right: SideTitle
    /// The name of the comparison policy.
    package var policy: String
    /// The acceptance of each difference, by the picture's id; `nil` without a reference store.
    package var acceptances: [String: Acceptance]?

    package init(
        left: SideTitle,
        right: SideTitle,
        policy: String,
        acceptances: [String: Acceptance]? = nil
    ) {
        self.left = left
        self.right = right
        self.policy = policy
        self.acceptances = acceptances
    }
}

extension HTMLReport {
    /// Renders the page of a comparison, whose differences are those of a run.
    ///
    /// The page is `index.html` at the top of the folder with the summary's files.
    package static func render(
        _ summary: RunSummary,
        comparing sides: ComparedSides,
        language: PageLanguage = .english
    ) -> String {
        let context = PageContext(PageRun(summary), language, comparing: sides)
        return page(
            context,
            context.run.changes,
            PageParts(
                head: diskHead,
                body: "",
                bar: "",
                foot: "<script>\n\(HTML(trusted: PageAssets.comparisonScript))</script>\n"
            )
        ).markup
    }
}
