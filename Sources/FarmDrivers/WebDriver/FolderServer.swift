// Serves a folder of built pages on the loopback, because pages that load modules, or files by
// absolute paths, do not work from disk. It answers GET and HEAD, and gives no file from outside
// its folder.
import FarmCore
import FarmFiles
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A server of the files of one folder.
final class FolderServer: PageServer {
    let address: String
    private let channel: any Channel

    private init(address: String, channel: any Channel) {
        self.address = address
        self.channel = channel
    }

    /// Serves a folder on a free port.
    ///
    /// `fallback`, relative to the folder, is sent for paths that do not exist.
    ///
    /// - Throws: ``WebDriverError``.
    static func start(_ folder: String, fallback: String?) async throws -> FolderServer {
        guard let files = ServedFolder(folder, fallback: fallback) else {
            throw WebDriverError.pagesMissing([folder])
        }
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(ChannelOptions.backlog, value: 64)
            .childChannelInitializer { channel in
                channel.pipeline.configureHTTPServerPipeline().flatMapThrowing {
                    try channel.pipeline.syncOperations.addHandler(FileHandler(files))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let port = channel.localAddress?.port ?? 0
        return FolderServer(address: "http://127.0.0.1:\(port)/", channel: channel)
    }

    var hasEnded: Bool { !channel.isActive }
    var failure: WebDriverError { .pagesMissing([]) }
    func takeOutput() -> [UInt8] { [] }
    func stop() async { try? await channel.close() }
}

/// The files of a folder, by the paths of addresses; no link and no `..` leads out of the folder.
struct ServedFolder: Sendable {
    private let root: GuardedFolder
    private let fallback: String?

    /// Creates the value for a folder, or `nil` if there is no such folder.
    init?(_ folder: String, fallback: String?) {
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder),
            isFolder.boolValue
        else { return nil }
        root = GuardedFolder(folder)
        self.fallback = fallback
    }

    /// Returns the file at an address's path, which is percent-encoded, or `nil` if there is none.
    func file(_ target: String) -> (name: String, bytes: Data)? {
        for path in places(of: target) {
            if let bytes = read(path) { return (path, bytes) }
        }
        return nil
    }

    /// Returns the paths below the folder that are looked at for an address's path, up to the first
    /// one that is a file.
    func tried(_ target: String) -> [String] {
        let places = places(of: target)
        guard let found = places.firstIndex(where: { read($0) != nil }) else { return places }
        return Array(places[...found])
    }

    /// Returns the paths below the folder at which a file may be: the address's path, the
    /// `index.html` of the folder there, the fallback.
    private func places(of target: String) -> [String] {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        guard let decoded = path.removingPercentEncoding else { return [] }
        let parts = decoded.utf8.split(separator: UInt8(ascii: "/")).map { String(Substring($0)) }
        let own = parts.isEmpty ? [] : [parts.joined(separator: "/")]
        return own + [(parts + ["index.html"]).joined(separator: "/")]
            + [fallback].compactMap(\.self)
    }

    private func read(_ path: String) -> Data? {
        try? root.read(path, bytesMax: FarmLimits.pictureBytesMax)
    }

    /// Returns the content type for a file's ending; browsers refuse scripts and styles with a
    /// wrong one.
    static func type(of file: String) -> String {
        let ending = (file as NSString).pathExtension.lowercased()
        return types[ending] ?? "application/octet-stream"
    }

    private static let types = [
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8",
        "css": "text/css; charset=utf-8", "js": "text/javascript; charset=utf-8",
        "mjs": "text/javascript; charset=utf-8", "json": "application/json",
        "map": "application/json",
        "svg": "image/svg+xml", "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg",
        "gif": "image/gif", "webp": "image/webp", "avif": "image/avif", "ico": "image/x-icon",
        "woff": "font/woff", "woff2": "font/woff2", "ttf": "font/ttf", "otf": "font/otf",
        "wasm": "application/wasm", "txt": "text/plain; charset=utf-8", "xml": "application/xml",
        "mp4": "video/mp4", "webm": "video/webm", "pdf": "application/pdf",
    ]
}

/// Answers the requests of one connection.
private final class FileHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let files: ServedFolder
    private var request: HTTPRequestHead?

    init(_ files: ServedFolder) { self.files = files }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): request = head
        case .body: break
        case .end:
            guard let head = request else { return }
            request = nil
            answer(head, context)
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard [.GET, .HEAD].contains(head.method) else {
            return write(.methodNotAllowed, "text/plain", Data(), head, context)
        }
        // Reads at once: files are small and on a local disk, and only pages of one worker call.
        guard let file = files.file(head.uri) else {
            return write(.notFound, "text/plain", Data("not found\n".utf8), head, context)
        }
        write(.ok, ServedFolder.type(of: file.name), file.bytes, head, context)
    }

    private func write(
        _ status: HTTPResponseStatus,
        _ type: String,
        _ bytes: Data,
        _ request: HTTPRequestHead,
        _ context: ChannelHandlerContext
    ) {
        let headers: HTTPHeaders = [
            "Content-Type": type, "Content-Length": "\(bytes.count)", "Cache-Control": "no-store",
        ]
        let head = HTTPResponseHead(version: request.version, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if request.method != .HEAD, !bytes.isEmpty {
            context.write(
                wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: bytes)))),
                promise: nil
            )
        }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if !request.isKeepAlive { context.close(promise: nil) }
    }
}
