// HTTP as bytes on a socket, for requests that a normal client cannot send and details that it
// hides.
import Foundation

/// A connection to a port of this machine.
package final class RawConnection {
    /// A server's response.
    package struct Response: Sendable {
        package let status: Int
        /// The headers; names are in lower case.
        package let headers: [String: String]
        package let body: Data

        package var text: String { String(decoding: body, as: UTF8.self) }
    }

    package struct Refused: Error {
        package let errno: Int32
    }

    private let socket: Int32

    package init(port: Int) throws {
        socket = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard socket >= 0, code == 0 else { throw Refused(errno: errno) }
        // A server that does not read must not hang the test.
        var limit = timeval(tv_sec: 20, tv_usec: 0)
        let size = socklen_t(MemoryLayout<timeval>.size)
        setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &limit, size)
    }

    deinit { close(socket) }

    /// Sends bytes; returns `false` if the other side does not take them any more.
    @discardableResult
    package func send(_ bytes: some DataProtocol) -> Bool {
        var rest = Data(bytes)[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes {
                Foundation.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard sent > 0 else { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Data(text.utf8)) }

    /// Closes the sending side.
    package func finishSending() { shutdown(socket, Int32(SHUT_WR)) }

    /// Returns one complete response, or `nil` if the other side closes without one or sends
    /// nothing for `seconds`.
    package func response(within seconds: Double = 60, isHead: Bool = false) -> Response? {
        let limit = ContinuousClock.now + .seconds(seconds)
        var bytes = Data()
        while true {
            if let response = Self.parse(bytes, isHead: isHead) { return response }
            guard let more = receive(until: limit), !more.isEmpty else { return nil }
            bytes.append(more)
        }
    }

    /// Returns the received text once it contains `word`, or `nil` if that does not happen within
    /// `seconds`.
    package func stream(until word: String, within seconds: Double = 60) -> String? {
        let limit = ContinuousClock.now + .seconds(seconds)
        var bytes = Data()
        while bytes.range(of: Data(word.utf8)) == nil {
            guard let more = receive(until: limit), !more.isEmpty else { return nil }
            bytes.append(more)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns whether the other side has closed, or closes within `seconds`; drops the bytes
    /// before.
    package func isClosed(within seconds: Double) -> Bool {
        let limit = ContinuousClock.now + .seconds(seconds)
        while let bytes = receive(until: limit) {
            if bytes.isEmpty { return true }
        }
        return false
    }

    /// Returns the next bytes: none at the end of the stream, or `nil` at the limit.
    private func receive(until limit: ContinuousClock.Instant) -> Data? {
        let left = limit - ContinuousClock.now
        let milliseconds =
            left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard milliseconds > 0, poll(&waiting, 1, Int32(milliseconds)) > 0 else { return nil }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Data(buffer[..<count]) : Data()
    }

    private static func parse(_ bytes: Data, isHead: Bool) -> Response? {
        guard let end = bytes.range(of: Data("\r\n\r\n".utf8)) else { return nil }
        let lines = String(decoding: bytes[..<end.lowerBound], as: UTF8.self)
            .components(separatedBy: "\r\n")
        guard let status = lines.first?.split(separator: " ").dropFirst().first.flatMap({ Int($0) })
        else { return nil }
        var headers: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1).map { String($0) }
            guard parts.count == 2 else { continue }
            headers[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        let body = Data(bytes[end.upperBound...])
        let length = isHead ? 0 : headers["content-length"].flatMap { Int($0) } ?? 0
        guard body.count >= length else { return nil }
        return Response(status: status, headers: headers, body: body)
    }
}
