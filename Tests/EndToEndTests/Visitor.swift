// A browser without a window: it keeps the cookie of one coordinator and posts forms as a page of it
// would.
import FarmTesting
import Foundation
import Testing

struct Visitor {
    let fleet: Fleet
    /// What the coordinator gave last, with its attributes.
    var setCookie = ""
    /// Sent with every request.
    var headers: [String] = []

    var cookie: String { String(setCookie.prefix { $0 != ";" }) }

    init(_ fleet: Fleet, headers: [String] = []) {
        self.fleet = fleet
        self.headers = headers
    }

    func get(
        _ path: String,
        accepting type: String = "text/html"
    ) throws -> RawConnection.Response {
        let answer = try fleet.call(
            "GET",
            path,
            version: nil,
            headers: headers + own + ["Accept: \(type)"]
        )
        return try #require(answer, "\(path): no answer")
    }

    /// `origin` is the page that sends the form; nil: none is said.
    @discardableResult
    mutating func post(
        _ path: String,
        _ fields: [(String, String)] = [],
        origin: String? = "http://127.0.0.1",
        accepting type: String = "text/html"
    ) throws -> RawConnection.Response {
        let plain = CharacterSet.alphanumerics
        let body = fields.map { name, value in
            name + "=" + (value.addingPercentEncoding(withAllowedCharacters: plain) ?? "")
        }.joined(separator: "&")
        let answer = try fleet.call(
            "POST",
            path,
            version: nil,
            headers: headers + own + [
                "Content-Type: application/x-www-form-urlencoded", "Accept: \(type)",
            ] + (origin.map { ["Origin: \($0)"] } ?? []),
            body: Data(body.utf8)
        )
        let response = try #require(answer, "\(path): no answer")
        if let given = response.headers["set-cookie"] { setCookie = given }
        return response
    }

    private var own: [String] { cookie.isEmpty ? [] : ["Cookie: \(cookie)"] }

    /// Logs in with a token; the answer is the coordinator's.
    @discardableResult
    mutating func logIn(_ token: String) throws -> RawConnection.Response {
        try post("/login", [("key", token), ("back", "/runs")])
    }

    /// What the forms of this login carry.
    func formToken() throws -> String {
        let page = try get("/runs").text
        let mark = "name=\"token\" value=\""
        let start = try #require(page.range(of: mark)?.upperBound, "\(page)")
        return String(page[start...].prefix { $0 != "\"" })
    }
}
