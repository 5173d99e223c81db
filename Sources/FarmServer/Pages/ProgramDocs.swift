// The documentation of the very version that runs: docs/llms.txt and the pages that it lists, which lie in
// the program.
import CFarmDocs
import Hummingbird

/// The pages of `docs/`.
package enum ProgramDocs {
    /// The pages by their paths in `docs/`.
    package static let pages: [String: String] = {
        var pages: [String: String] = [:]
        while let page = farm_doc_at(pages.count) {
            pages[String(cString: page.pointee.name)] = String(cString: page.pointee.text)
        }
        return pages
    }()

    /// The name of the list of the pages.
    package static let list = "llms.txt"

    /// Returns the list of the pages, each link with `folder` before it.
    ///
    /// Leaves out what only the repository has.
    package static func index(below folder: String) -> String {
        let lines = (pages[list] ?? "").split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        return lines.filter { line in
            guard let link = line.firstMatch(of: /\]\(([^)]*)\)/) else { return true }
            return pages[String(link.1)] != nil
        }.joined(separator: "\n").replacing("](", with: "](\(folder)")
    }
}

/// The routes of the documentation; like style and icon, it is the same for every visitor, and needs
/// no login.
enum DocsRoutes {
    /// Browsers show plain text, and some only download Markdown.
    private static let type = "text/plain"

    static func add(to group: RouterGroup<FarmContext>) {
        group.get("llms.txt") { request, _ in
            PageAnswer.asset(ProgramDocs.index(below: "docs/"), type: type, for: request)
        }
        group.get("docs/**") { request, context in
            guard let page = ProgramDocs.pages[context.restOfPath] else {
                let words = "No such page is in this program. /llms.txt lists those that are.\n"
                var response = PageAnswer.asset(words, type: type, for: request)
                response.status = .notFound
                return response
            }
            return PageAnswer.asset(page, type: type, for: request)
        }
    }
}
