import FarmCore
import Testing

/// U+0301 joins the preceding character to one letter, U+0600 the following one.
@Suite("paths from outside, by bytes")
struct PathTextTests {
    @Test(
        "a mark beside a slash hides neither the slash nor what it separates",
        arguments: [
            ("../\u{301}evil", ["..", "\u{301}evil"]), ("a\u{600}/..", ["a\u{600}", ".."]),
            ("/\u{301}etc", ["", "\u{301}etc"]), ("a//b/", ["a", "", "b", ""]), ("", [""]),
        ]
    )
    func parts(path: String, parts: [String]) {
        #expect(path.pathParts == parts)
        #expect(path.hasSlash == path.utf8.contains(0x2F))
    }

    @Test(
        "the folder of a path is what stands before its last name",
        arguments: [
            ("a/b/c", "a/b"), ("a/b//c//", "a/b"), ("/a", "/"), ("/", "/"), ("//", "/"),
            ("//a", "/"),
            ("a", ""), ("\"", ""), ("é", ""), ("", ""), ("./a", "."), ("a/\u{301}b", "a"),
        ]
    )
    func parent(path: String, folder: String) {
        #expect(path.parentFolder == folder)
    }

    @Test("absolute paths and options are seen under a mark")
    func signs() {
        #expect("/\u{301}etc".isAbsolutePath && !"etc/".isAbsolutePath)
        #expect("-\u{301}oProxyCommand".hasLeadingDash && !"a-".hasLeadingDash)
    }

    @Test(
        "what is below a folder is found by bytes",
        arguments: [
            ("/a/b/c", "/a/b", "c"), ("/a/b/\u{301}c", "/a/b", "\u{301}c"), ("/a/bc", "/a/b", nil),
            ("/a/b", "/a/b", nil), ("/a/e\u{301}/x", "/a/\u{E9}", nil),
        ] as [(String, String, String?)]
    )
    func below(path: String, folder: String, rest: String?) {
        #expect(path.path(below: folder) == rest)
    }

    @Test("a glob's star stays in its folder, also under a mark")
    func glob() {
        #expect(!Glob("captures/*", mode: .path).matches("captures/a/\u{301}b.png"))
        #expect(Glob("captures/**", mode: .path).matches("captures/a/\u{301}b.png"))
        #expect(Glob("captures/*", mode: .path).matches("captures/e\u{301}.png"))
    }

    @Test(
        "a store whose address hides a sign is refused before Git sees it",
        arguments: [
            "ext:\u{301}:sh -c id", "ext::\u{301}sh -c id", "-\u{301}oProxyCommand=id:x",
            "host:-\u{301}x", "https:/\u{301}/host/x", "\u{600}-x",
        ]
    )
    func store(text: String) {
        #expect(throws: StoreLocationError.self) {
            try StoreLocation(parsing: text, relativeTo: "/work")
        }
    }

    @Test("names in other scripts hide nothing")
    func scripts() throws {
        #expect(!"../リファレンス/e\u{301}.git".hidesSigns)
        #expect(throws: Never.self) {
            try StoreLocation(parsing: "../リファレンス/e\u{301}.git", relativeTo: "/work")
        }
    }
}
