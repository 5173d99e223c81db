import FarmAPI
import Foundation

/// A call before the fuzzer changes it.
struct RouteCall {
    var route: String
    var method: String
    /// The full path.
    var path: String
    /// The scopes that may make the call, the most common one first.
    ///
    /// Empty if every caller may.
    var scopes: [String] = []
    var body: Data?
    var seal: String?
    var headers: [String] = []
    /// Whether the answer may be delayed until there is work; the caller gives up before.
    var waits = false

    /// Makes a call of a path below the API's prefix.
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
