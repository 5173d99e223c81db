// How pages name a person. Decisions keep who somebody is to Git, with an address that a page has no
// use for.

enum PersonText {
    /// `Dana` of `Dana <dana@example.org>`, in one line.
    static func short(_ person: String) -> String {
        let line = LegalText.line(person)
        guard line.last == ">", let address = line.firstRange(of: " <") else { return line }
        return String(line[..<address.lowerBound])
    }
}
