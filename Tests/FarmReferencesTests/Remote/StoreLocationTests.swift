import FarmCore
import Foundation
import Testing

@Suite("where a store may be")
struct StoreLocationTests {
    @Test(
        "paths and Git's URLs are taken apart and put together again",
        arguments: [
            ("../refs.git", StoreLocation.Kind.path, "/srv/refs.git"),
            ("/a/b.git/", .path, "/a/b.git"),
            ("a:b/c.git".replacing("a:b", with: "./a:b"), .path, "/srv/app/a:b/c.git"),
            ("file:///a%20b.git", .file, "file:///a%20b.git"),
            ("git://host:9418/x.git", .git, "git://host:9418/x.git"),
            ("git@host:team/x.git", .ssh, "git@host:team/x.git"),
            ("host:~/x.git", .ssh, "ssh://host/~/x.git"),
            ("ssh://git@host:22/x.git", .ssh, "ssh://git@host:22/x.git"),
            ("ssh://host/~me/x.git", .ssh, "ssh://host/~me/x.git"),
            ("https://host/x.git", .https, "https://host/x.git"),
            ("https://[::1]:8443/x.git", .https, "https://[::1]:8443/x.git"),
        ]
    )
    func accepted(text: String, kind: StoreLocation.Kind, url: String) throws {
        let location = try StoreLocation(parsing: text, relativeTo: "/srv/app")
        #expect(location.kind == kind)
        #expect(location.url == url)
        #expect(location.description == url)
    }

    @Test(
        "what runs programs, looks like an option or leaks is refused",
        arguments: [
            "", "-oProxyCommand=x", "ext::sh -c x", "fd::17", "https://", "https://host",
            "https://host/",
            "http://host/x.git", "ftp://host/x", "ext://x/y", "ssh://-oProxyCommand=x/y",
            "ssh://host",
            "ssh://host/", "-x@host:y", "host:-x", "host:", "a b:c", "ssh://a:b@host/x",
            "git://me@host/x", "https://host:0/x", "https://host:70000/x", "https://ho st/x",
            "file://other/x", "file://", "file:///%00", "ssh://host/%0a", "x\ny",
            "https://host/a?b",
        ]
    )
    func refused(text: String) throws {
        let error = #expect(throws: StoreLocationError.self) {
            try StoreLocation(parsing: text, relativeTo: "/work")
        }
        #expect(error?.code == "store-location-refused")
    }

    @Test(
        "a refused remote helper is named, and nothing of its address is shown",
        arguments: [
            ("ext::curl -u me:s3cret host", "`ext::`"), ("s3cret@host::x/y", "`***::`"),
            ("fd::s3cret", "`fd::`"),
        ]
    )
    func helper(text: String, name: String) {
        let error = #expect(throws: StoreLocationError.self) {
            try StoreLocation(parsing: text, relativeTo: "/work")
        }
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains("s3cret") == false, "\(error?.message ?? "")")
    }

    @Test("passwords and tokens of a URL are kept apart and never shown")
    func secrets() throws {
        let both = try StoreLocation(parsing: "https://me:se%2Fcret@host/x.git", relativeTo: "/")
        #expect(both.user == "me")
        #expect(both.password == "se/cret")
        #expect(both.url == "https://host/x.git")
        #expect("\(both)" == "https://***@host/x.git")
        let token = try StoreLocation(parsing: "https://t0ken@host/x.git", relativeTo: "/")
        #expect(token.user == nil)
        #expect(token.password == "t0ken")
        let error = #expect(throws: StoreLocationError.self) {
            try StoreLocation(parsing: "https://me:secret@host:x/y", relativeTo: "/")
        }
        #expect(error?.message.contains("secret") == false)
    }

    @Test(
        "secrets are masked wherever they stand",
        arguments: [
            ("fatal: https://me:pw@host/x: no", "fatal: https://***@host/x: no"),
            ("ssh://git@host/x and ssh://a:b@host/y", "ssh://git@host/x and ssh://a:***@host/y"),
            ("the token is tok-1-long, not tok-1", "the token is ***, not ***"),
            ("nothing", "nothing"),
        ]
    )
    func masked(text: String, shown: String) {
        #expect(SecretMask(["tok-1", "tok-1-long", ""]).mask(text) == shown)
    }
}
