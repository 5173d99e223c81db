// The parts that a host adds to a set's catalogue beside a run: links to the run and to the other
// language, and other sets to look at.
import FarmCore

/// The parts that a host adds to a set's catalogue.
struct CatalogueHost {
    /// The address before the paths of the catalogue's files; ends with `/`.
    let folder: String

    init(_ addresses: PageReview.Addresses) { folder = addresses.catalogue ?? "" }

    /// Returns the links to the run's page and to the catalogue in the other language.
    func links(_ language: PageLanguage) -> HTML {
        let other: PageLanguage = language == .english ? .japanese : .english
        return """
            <nav class="links" aria-label="snapfarm">\
            <a href="\(folder)../?lang=\(language.rawValue)">\(language.text.toTheRun)</a> \
            <a href="?lang=\(other.rawValue)" lang="\(other.rawValue)">\
            \(language.text.otherLanguage)</a></nav>

            """
    }

    /// Returns the form in which to choose one of the newest sets.
    func sets(
        _ catalogue: SetCatalogue,
        _ words: PageText,
        _ language: PageLanguage
    ) -> HTML {
        let options = catalogue.others.compactMap { entry in
            entry.set.map { set in
                """
                <option value="\(set.hex)"\(set == catalogue.set ? " selected" : "")>\
                \(String(entry.time.prefix(10))) \(LegalText.line(entry.title))</option>

                """ as HTML
            }
        }
        guard !options.isEmpty else { return "" }
        return """
            <form class="sets" action="\(folder)">
            <select name="set" aria-label="\(words.set)">
            \(options)</select>
            <input type="hidden" name="lang" value="\(language.rawValue)">
            <button>\(words.showSet)</button>
            </form>

            """
    }
}
