// The requests of a page, from the network events of the DevTools protocol.
import FarmCore
import Foundation

/// The addresses that one page asked for.
struct PageRequests: Sendable, Hashable {
    private(set) var addresses: Set<String> = []
    /// Those of the addresses that send events for as long as the page is there.
    private(set) var streams: Set<String> = []
    /// A request that no file answers, in words, or `nil` if there is none.
    private(set) var unknown: String?

    private struct Event: Decodable {
        struct Message: Decodable {
            var method: String
            var params: Parameters?
        }
        struct Parameters: Decodable {
            var request: Request?
            var type: String?
            var frameId: String?
            /// The address of a socket.
            var url: String?
        }
        /// A request; that of a socket has neither address nor method.
        struct Request: Decodable {
            var url: String?
            var method: String?
        }
        var message: Message
    }

    /// Collects the requests of events, each of them JSON.
    ///
    /// An event that cannot be read makes the requests unknown.
    init(of events: [String]) {
        var documents = 0
        var frames: Set<String> = []
        for text in events {
            guard let event = try? JSONDecoder().decode(Event.self, from: Data(text.utf8)) else {
                unknown = unknown ?? "events that snapfarm cannot read"
                continue
            }
            switch event.message.method {
            case "Network.requestWillBeSent":
                let parameters = event.message.params
                guard let url = parameters?.request?.url, let method = parameters?.request?.method
                else {
                    unknown = unknown ?? "a request that snapfarm cannot read"
                    continue
                }
                if method != "GET" { unknown = unknown ?? "an answer to \(method)" }
                if parameters?.type == "Document" { documents += 1 }
                if let frame = parameters?.frameId { frames.insert(frame) }
                if parameters?.type == "EventSource" { streams.insert(url) }
                addresses.insert(url)
            case "Network.webSocketCreated":
                addresses.insert(event.message.params?.url ?? "ws:")
            default: continue
            }
        }
        // The first page's script notes what it read; nothing has the note of a page that is left.
        if documents > 1 || frames.count > 1 { unknown = unknown ?? "several pages" }
    }
}

/// Finds the files behind the addresses that a page asked for.
struct PageFiles: Sendable {
    /// The absolute path of the pipeline file's folder.
    var workTree: String
    var served: [Served]
    /// The address of a server whose answers follow from the job's own `inputs`, or `nil`.
    var declared: WebAddress?

    /// A folder that the driver serves.
    struct Served: Sendable {
        /// The address of the server; ends with `/`.
        var address: String
        var folder: ServedFolder
        /// The path of the folder below the work tree.
        var path: String
    }

    /// Returns the files behind the requests; `unknown` is what the page itself noted.
    func inputs(of requests: PageRequests, unknown: String?) -> RecordedInputs {
        var files: Set<String> = []
        var unknown = unknown ?? requests.unknown
        // Sorted, so that a page with several such inputs always names the same one.
        for address in requests.addresses.sorted() where !isDeclared(address) {
            if requests.streams.contains(address) { unknown = unknown ?? "events of a server" }
            switch paths(of: address) {
            case .success(let paths): files.formUnion(paths)
            case .failure(let other): unknown = unknown ?? other.words
            }
        }
        return RecordedInputs(files: files, unknown: unknown)
    }

    /// Whether a request or socket is one of the server whose answers the job's inputs declare.
    private func isDeclared(_ address: String) -> Bool {
        guard let own = declared?.url, let url = URL(string: address) else { return false }
        return url.host == own.host && url.port == own.port
    }

    /// An address that no file answers.
    private struct Elsewhere: Error { var words: String }

    /// Returns the paths at which the answer to an address was looked for.
    private func paths(of address: String) -> Result<[String], Elsewhere> {
        guard let colon = address.firstIndex(of: ":") else {
            return .failure(Elsewhere(words: "an address without a scheme"))
        }
        switch address[..<colon] {
        case "data", "blob", "about": return .success([])
        case "ws", "wss": return .failure(Elsewhere(words: "a WebSocket"))
        case "file":
            let plain = address.prefix { $0 != "?" && $0 != "#" }
            guard let path = URL(string: String(plain))?.path, path.isAbsolutePath else {
                return .failure(Elsewhere(words: "a file without a path"))
            }
            return .success([path.path(below: workTree) ?? path])
        default:
            if let served = served.first(where: { address.hasPrefix($0.address) }) {
                let target = address.dropFirst(served.address.count - 1)
                return .success(served.folder.tried(String(target)).map { served.path + "/" + $0 })
            }
            let host = URL(string: address)?.host ?? "another scheme"
            return .failure(Elsewhere(words: "answers of \(host)"))
        }
    }
}
