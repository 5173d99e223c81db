// The names of persons on pages. A decision stores a person's name and address as Git has them;
// pages leave the address out.

enum PersonText {
    /// Returns a person's name without the address, in one line: `Dana` for `Dana
    /// <dana@example.org>`.
    static func short(_ person: String) -> String {
        let line = LegalText.line(person)
        guard line.last == ">", let address = line.firstRange(of: " <") else { return line }
        return String(line[..<address.lowerBound])
    }
}
