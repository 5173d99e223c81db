// The catalogue, the pages for people in the store. Each folder has `catalogue/<folder>.md` and
// further pages `catalogue/<folder>-2.md`, with its screens and a column for each cell.
// `catalogue/README.md` lists the pages. They are named after their folder, so that a change in one
// folder changes no other page. Only names are read, never a picture.
import FarmCore
import Foundation

package enum CataloguePages {
    /// The largest number of pictures on one page.
    ///
    /// Git hosts stop loading pictures on larger pages.
    package static let picturesMax = 200
    /// The largest number of columns of one table: five pictures fill a Git host's page.
    private static let columnsMax = 5
    private static let pictureWidth = 160
    /// The largest length of a folder's name within a page's name, in bytes.
    private static let slugBytesMax = 100

    private struct Screen {
        let suite: String
        let name: String
        /// The cells that have the screen, in the order of columns.
        let cells: [CellID]
    }

    /// Returns the pages by path, or no pages if there are no pictures.
    ///
    /// Cells are columns in the order of `order`; other cells follow, sorted by id.
    package static func files(
        of pictures: [SnapshotID],
        facts: [CellID: CellFacts],
        order: [CellID] = []
    ) -> [String: Data] {
        let pictures = pictures.filter { !$0.isText }
        guard !pictures.isEmpty else { return [:] }
        var rank: [CellID: Int] = [:]
        for (index, cell) in order.enumerated() where rank[cell] == nil { rank[cell] = index }
        let folders = Dictionary(grouping: pictures, by: \.firstFolder)
        let names = folders.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        var files: [String: Data] = [:]
        var list = "# Screens\n\n| folder | screens | pictures |\n|---|--:|--:|\n"
        var slugs = Slugs()
        for folder in names {
            let screens = screens(of: folders[folder] ?? [], rank: rank)
            let slug = slugs.slug(for: folder)
            let pages = paged(screens)
            var links = "[\(MarkdownName.text(folder))](\(MarkdownName.link("\(slug).md")))"
            for (index, page) in pages.enumerated() {
                let file = index == 0 ? slug : "\(slug)-\(index + 1)"
                if index > 0 { links += " [\(index + 1)](\(MarkdownName.link("\(file).md")))" }
                let part = pages.count > 1 ? " (\(index + 1) of \(pages.count))" : ""
                let text = "# \(MarkdownName.text(folder))\(part)\n\n[all folders](README.md)\n\n"
                let body = page.map { section($0, facts: facts) }.joined()
                files["catalogue/\(file).md"] = Data((text + body).utf8)
            }
            let count = folders[folder]?.count ?? 0
            list += "| \(links) | \(screens.count) | \(count) |\n"
        }
        files["catalogue/README.md"] = Data(list.utf8)
        return files
    }

    private static func screens(of ids: [SnapshotID], rank: [CellID: Int]) -> [Screen] {
        let last = rank.count
        var screens: [Screen] = []
        let groups = Dictionary(grouping: ids) { "\($0.suite)/\($0.name)" }
        for place in groups.keys.sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
            guard let group = groups[place], let first = group.first else { continue }
            let cells = group.map(\.cell).sorted { left, right in
                let ranks = (rank[left] ?? last, rank[right] ?? last)
                return ranks.0 == ranks.1 ? left < right : ranks.0 < ranks.1
            }
            // A screen on very many cells is split, so that the size of a page stays limited.
            var rest = cells[...]
            while !rest.isEmpty {
                let part = Array(rest.prefix(picturesMax))
                screens.append(Screen(suite: first.suite, name: first.name, cells: part))
                rest = rest.dropFirst(part.count)
            }
        }
        return screens
    }

    private static func paged(_ screens: [Screen]) -> [[Screen]] {
        var pages: [[Screen]] = []
        var count = picturesMax
        for screen in screens {
            if count + screen.cells.count > picturesMax {
                pages.append([])
                count = 0
            }
            pages[pages.count - 1].append(screen)
            count += screen.cells.count
        }
        return pages
    }

    private static func section(_ screen: Screen, facts: [CellID: CellFacts]) -> String {
        var text = "## \(MarkdownName.text(screen.name))\n\n"
        if screen.suite.utf8.contains(UInt8(ascii: "/")) {
            text += "\(MarkdownName.text(screen.suite))\n\n"
        }
        var rest = screen.cells[...]
        while !rest.isEmpty {
            text += table(rest.prefix(columnsMax), of: screen, facts: facts)
            rest = rest.dropFirst(columnsMax)
        }
        return text
    }

    private static func table(
        _ cells: ArraySlice<CellID>,
        of screen: Screen,
        facts: [CellID: CellFacts]
    ) -> String {
        func row(_ value: (CellFacts, CellID) -> String) -> String {
            let values = cells.map { value(facts[$0] ?? CellFacts(device: $0.text), $0) }
            return "|" + values.map { $0 + "|" }.joined() + "\n"
        }
        var text = row { facts, _ in MarkdownName.text(facts.device) }
        text += row { _, _ in ":---:" }
        text += row { facts, _ in MarkdownName.text(facts.os) }
        text += row { facts, _ in MarkdownName.text(facts.size) }
        text += row { facts, _ in MarkdownName.text(facts.variant) }
        text += row { _, cell in
            let path = MarkdownName.link(
                "../\(cell)/\(screen.suite)/\(SnapshotFile.file(of: screen.name))"
            )
            return "<img src=\"\(path)\" width=\"\(pictureWidth)\" loading=\"lazy\">"
        }
        return text + "\n"
    }

    /// Makes page names of letters, digits, `.` and `-` that are unique even without regard to
    /// case.
    private struct Slugs {
        // Names in use. A folder's name must not look like a further page of another folder.
        private var taken: Set<String> = ["readme"]

        mutating func slug(for folder: String) -> String {
            var slug = ""
            for character in folder where slug.utf8.count < slugBytesMax {
                let fits = character.isLetter || character.isNumber || character == "."
                slug.append(fits ? character : "-")
            }
            let endsInNumber = slug.contains("-") && slug.last?.isNumber == true
            let key = slug.lowercased()
            if slug.hasPrefix(".") || endsInNumber || taken.contains(key) {
                slug = "page-" + Digest(of: Data(folder.utf8)).hex.prefix(12) + "." + slug
            }
            taken.insert(slug.lowercased())
            return slug
        }
    }
}
