// The languages of the page. Messages of tests stay as they are; ``TranslatedWords`` translates known
// sentences about pictures.

/// A language of the pages.
package enum PageLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"

    /// Chooses the language of a page: that of its address (`?lang=ja`), else the first known
    /// language of the browser's `Accept-Language`, else English.
    package init(asked: String?, accepted: String?) {
        let own = asked.flatMap(Self.init(rawValue:))
        // Browsers list languages by weight, so the weights need not be read.
        let first = accepted?.prefix(Self.acceptedCharactersMax).split(separator: ",").lazy
            .compactMap { part -> Self? in
                let name = part.drop { $0 == " " }.prefix { $0 != "-" && $0 != ";" }
                return Self(rawValue: name.lowercased())
            }.first
        self = own ?? first ?? .english
    }

    private static let acceptedCharactersMax = 200
}
