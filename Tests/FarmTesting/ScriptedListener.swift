// A server that answers by a script and does what no real server does: hang, hang up, redirect, or
// refuse to read. It keeps the requests.
import Foundation
import Synchronization

/// A listener on a port of this machine, with a thread for each connection.
package final class ScriptedListener: Sendable {
    /// The reaction to a request.
    package enum Answer: Sendable {
        /// Sends these bytes and keeps the connection.
        case bytes(String)
        /// Sends these bytes and closes the connection.
        case last(String)
        /// Sends nothing until the listener ends.
        case silence
        case hangUp
    }

    package let port: Int
    private let socket: Int32
    private let state = Mutex<(heard: [String], sockets: [Int32], isOver: Bool)>(([], [], false))

    /// Starts listening.
    ///
    /// `answer` gets head and body of each request; if it is `nil`, no connection is read.
    package init(_ answer: (@Sendable (String) -> Answer)?) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listening = socket
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listening, address, length) == 0 && listen(listening, 64) == 0
                    ? getsockname(listening, address, &length) : -1
            }
        }
        guard code == 0 else { throw TestPort.NoPort(errno: errno) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listening, nil, nil)
                guard connection >= 0, let self, self.keep(connection) else { return }
                guard let answer else { continue }
                Thread.detachNewThread { [weak self] in
                    Self.serve(connection, answer) { self?.hear($0) }
                }
            }
        }
    }

    deinit { stop() }

    package var url: String { "http://127.0.0.1:\(port)" }

    /// The requests so far, each with head and body.
    package var heard: [String] { state.withLock { $0.heard } }

    /// The number of connections so far.
    package var connections: Int { state.withLock { $0.sockets.count } }

    /// Closes all connections and stops listening.
    package func stop() {
        let sockets = state.withLock { state -> [Int32] in
            defer { state.isOver = true }
            return state.isOver ? [] : state.sockets + [socket]
        }
        for one in sockets {
            shutdown(one, Int32(SHUT_RDWR))
            close(one)
        }
    }

    private func keep(_ connection: Int32) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            state.sockets.append(connection)
            return true
        }
    }

    private func hear(_ request: String) { state.withLock { $0.heard.append(request) } }

    private static func serve(
        _ connection: Int32,
        _ answer: (String) -> Answer,
        hear: (String) -> Void
    ) {
        var bytes = Data()
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            while let request = takeRequest(&bytes) {
                hear(request)
                switch answer(request) {
                case .bytes(let text):
                    let all = Array(text.utf8)
                    _ = send(connection, all, all.count, Int32(MSG_NOSIGNAL))
                case .last(let text):
                    let all = Array(text.utf8)
                    _ = send(connection, all, all.count, Int32(MSG_NOSIGNAL))
                    shutdown(connection, Int32(SHUT_RDWR))
                    return
                case .silence: break
                case .hangUp:
                    shutdown(connection, Int32(SHUT_RDWR))
                    return
                }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return }
            bytes.append(contentsOf: buffer[..<count])
        }
    }

    /// Removes and returns the first complete request, or `nil` if it is incomplete.
    private static func takeRequest(_ bytes: inout Data) -> String? {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let head = String(decoding: bytes[..<end.upperBound], as: UTF8.self)
        let length =
            head.lowercased().components(separatedBy: "content-length: ").dropFirst()
            .first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        guard bytes.distance(from: end.upperBound, to: bytes.endIndex) >= length else { return nil }
        let last = bytes.index(end.upperBound, offsetBy: length)
        defer { bytes = Data(bytes[last...]) }
        return String(decoding: bytes[..<last], as: UTF8.self)
    }
}
