// The languages of the page. Words that a run says of itself (messages, what was found in a
// picture) stay as they are.

/// A language of the page.
package enum PageLanguage: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case japanese = "ja"

    /// What a page's address asks for (`?lang=ja`), else the first language of the browser's
    /// `Accept-Language` that there is, else English.
    package init(asked: String?, accepted: String?) {
        let own = asked.flatMap(Self.init(rawValue:))
        // Browsers list languages by weight; the weights themselves say nothing more.
        let first = accepted?.prefix(Self.acceptedCharactersMax).split(separator: ",").lazy
            .compactMap { part -> Self? in
                let name = part.drop { $0 == " " }.prefix { $0 != "-" && $0 != ";" }
                return Self(rawValue: name.lowercased())
            }.first
        self = own ?? first ?? .english
    }

    private static let acceptedCharactersMax = 200
}
