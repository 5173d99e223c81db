import FarmAPI
import Foundation

/// One call before it is changed.
struct RouteCall {
    var route: String
    var method: String
    /// Whole.
    var path: String
    /// Those that may, first that of most who make it; none: everybody may.
    var scopes: [String] = []
    var body: Data?
    var seal: String?
    var headers: [String] = []
    /// Whether the answer may take as long as a worker waits for work; it is given up before.
    var waits = false

    /// Of a path below the API's.
    init(_ route: String, _ method: String, _ path: String) {
        self.route = route
        self.method = method
        self.path = Routes.prefix + path
    }

    static func post(
        _ route: String,
        _ path: String,
        _ scope: String,
        _ message: some Encodable
    ) throws -> RouteCall {
        var call = RouteCall(route, "POST", path)
        call.scopes = [scope]
        call.body = try JSONEncoder().encode(message)
        return call
    }

    func allows(_ scope: String?) -> Bool {
        scopes.isEmpty || scope == "admin" || scopes.contains { $0 == scope }
    }
}
