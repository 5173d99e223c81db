// The answers of the pages. Their headers keep foreign content out, and refusals are worded for
// people. Files of a run are foreign data: no browser may take one for a page of ours.
import FarmCore
import FarmReports
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Makes answers for browsers.
enum PageAnswer {
    static func page(_ markup: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = common
        headers[.contentType] = "text/html; charset=utf-8"
        headers[.cacheControl] = "no-store"
        headers[policy] = HTMLReport.hostPolicy
        return Response(status: status, headers: headers, body: body(Data(markup.utf8)))
    }

    static func json(_ bytes: Data, status: HTTPResponse.Status = .ok) -> Response {
        var headers = common
        headers[.contentType] = "application/json"
        headers[.cacheControl] = "no-store"
        return Response(status: status, headers: headers, body: body(bytes))
    }

    /// Returns the answer with a style or a script.
    static func asset(_ text: String, type: String, for request: Request) -> Response {
        cached(Data(text.utf8), type: "\(type); charset=utf-8", request)
    }

    /// Returns the answer with a file of a run.
    static func file(_ bytes: Data, path: String, for request: Request) -> Response {
        var response = cached(bytes, type: type(of: path), request)
        // Even a file that a browser would show as a page can do nothing.
        response.headers[policy] = "default-src 'none'; sandbox"
        return response
    }

    /// Returns a redirect of the browser; `place` begins with `/` and has no character that ends a
    /// header.
    static func redirect(_ place: String) -> Response {
        var headers = common
        headers[.location] = place
        headers[.cacheControl] = "no-store"
        return Response(status: .seeOther, headers: headers)
    }

    /// Returns the answer with bytes, or 304 if the browser has the same bytes already.
    private static func cached(_ bytes: Data, type: String, _ request: Request) -> Response {
        var headers = common
        headers[.contentType] = type
        headers[.cacheControl] = "private, no-cache"
        let tag = "\"\(Digest(of: bytes).hex)\""
        headers[.eTag] = tag
        if request.headers[.ifNoneMatch] == tag {
            return Response(status: .notModified, headers: headers)
        }
        return Response(status: .ok, headers: headers, body: body(bytes))
    }

    private static func body(_ bytes: Data) -> ResponseBody {
        ResponseBody(byteBuffer: ByteBuffer(bytes: bytes))
    }

    private static func type(of path: String) -> String {
        switch path.split(separator: ".").last {
        case "png": "image/png"
        // A text that a test made is shown, and never run, as HTML or SVG would be.
        case "txt", "log", "md", "diff", "json", "xml", "yaml", "svg", "html", "csv",
            "plist":
            "text/plain; charset=utf-8"
        default: "application/octet-stream"
        }
    }

    static let policy = HTTPField.Name("Content-Security-Policy") ?? .server
    private static let frames = HTTPField.Name("X-Frame-Options") ?? .server
    private static let opener = HTTPField.Name("Cross-Origin-Opener-Policy") ?? .server
    private static let resource = HTTPField.Name("Cross-Origin-Resource-Policy") ?? .server
    private static let referrer = HTTPField.Name("Referrer-Policy") ?? .server

    /// The headers of every answer: they forbid framing and guessing of types, and keep our
    /// addresses from other sites.
    static let common: HTTPFields = [
        .xContentTypeOptions: "nosniff", frames: "DENY", opener: "same-origin",
        resource: "same-origin", referrer: "same-origin",
    ]
}

extension PageAnswer {
    private struct Refusal: Encodable {
        var code: String
        var message: String
        var remedy: String
        /// The refusal's English sentences for a page in another language, as in ``TranslatedProblem``.
        var detail: String
    }

    /// Returns a refusal: JSON for the page's script, else a page that leads back to `back`.
    static func refusal(
        _ error: any ExplainedError,
        for request: Request,
        back: String?
    ) throws -> Response {
        let status = RefusalStatus.of(error)
        let mask = SecretMask()
        let problem = Problem(
            code: error.code,
            message: mask.mask(error.message),
            remedy: mask.mask(error.remedy)
        )
        let said = TranslatedProblem(problem, exit: error.exit, in: request.language)
        var response: Response
        if isForScript(request) {
            let refusal = Refusal(
                code: error.code,
                message: said.message,
                remedy: said.remedy,
                detail: said.detail
            )
            response = json(try JSONEncoder().encode(refusal), status: status)
        } else {
            let markup = EntrancePage.refusal(
                said,
                back: back,
                in: RunsFrame(language: request.language)
            )
            response = page(markup, status: status)
        }
        if status == .serviceUnavailable { response.headers[.retryAfter] = RetryHint.seconds }
        if request.method == .head { response.body = ResponseBody() }
        // Closes the connection: the rest of a refused body is not worth reading to keep it.
        if request.method != .get, request.method != .head {
            response.headers[.connection] = "close"
        }
        return response
    }

    /// Returns whether the answer is for the page's script and not for a window.
    static func isForScript(_ request: Request) -> Bool {
        request.headers[.accept]?.contains("application/json") == true
    }
}
