import FarmCore
import Testing

@Suite("Pictures that are one file where case does not count")
struct PathTwinsTests {
    @Test(
        "both are found, with what they collide with",
        arguments: [
            (["S/a", "S/b", "T/a"], []),
            (["S/Login", "S/home", "S/login"], ["S/Login", "S/login"]),
            (["S/a", "s/b", "T/c"], ["S/a", "s/b"]),
            (["S/a", "S/A", "s/c"], ["S/A", "S/a", "s/c"]),
            (["Stra\u{DF}e/a", "STRASSE/b", "c/d"], ["STRASSE/b", "Stra\u{DF}e/a"]),
            (["S/T/a", "S/t"], []),
        ]
    )
    func among(names: [String], twins: [String]) throws {
        let pictures = try names.map { name in
            let slash = try #require(name.lastIndex(of: "/"))
            return try SnapshotID(
                cell: CellID("c"),
                suite: String(name[..<slash]),
                name: String(name[name.index(after: slash)...])
            )
        }
        let found = PathTwins.among(pictures)
        #expect(found.keys.map { "\($0.suite)/\($0.name)" }.sorted() == twins)
        #expect(found.values.allSatisfy { $0.one != $0.other })
    }
}
