// A browser without a window: it keeps one coordinator's cookie and posts forms like that
// coordinator's pages.
import FarmTesting
import Foundation
import Testing

struct Visitor {
    let fleet: Fleet
    /// The coordinator's last cookie, with its attributes.
    var setCookie = ""
    /// Headers of every request.
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

    /// Posts a form; `origin` is the page that sends it, or `nil` to send no such header.
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

    /// Logs in with a token and returns the coordinator's answer.
    @discardableResult
    mutating func logIn(_ token: String) throws -> RawConnection.Response {
        try post("/login", [("key", token), ("back", "/runs")])
    }

    /// Returns the token in the forms of this login.
    func formToken() throws -> String {
        let page = try get("/runs").text
        let mark = "name=\"token\" value=\""
        let start = try #require(page.range(of: mark)?.upperBound, "\(page)")
        return String(page[start...].prefix { $0 != "\"" })
    }
}
