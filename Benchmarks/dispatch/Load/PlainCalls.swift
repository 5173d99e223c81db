// A client that costs next to nothing, because it shares the cores with the coordinator that is
// measured: one socket and one thread a worker, messages spliced from texts. It speaks only to
// `dispatch-load`'s own runs; the product's client is `CoordinatorClient`.
import FarmAPI
import FarmCore
import Foundation

#if canImport(Darwin)
import Darwin
#else
import Glibc
#endif

/// What a plain connection cannot do.
enum PlainError: Error {
    case address(String)
    case connection(String)
    case answer(String)
}

/// One connection, one call at a time.
final class PlainConnection {
    private let descriptor: Int32
    private let head: String
    private var input: [UInt8] = []
    private var piece = [UInt8](repeating: 0, count: 16 << 10)

    /// `url` is `http://IPv4:PORT`.
    init(url: String, token: String) throws {
        let parts = url.dropFirst("http://".count).split(separator: ":")
        guard parts.count == 2, let port = UInt16(parts[1]) else { throw PlainError.address(url) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = inet_addr(String(parts[0]))
        #if canImport(Darwin)
        descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        head =
            "Host: \(parts[0]):\(port)\r\nAuthorization: Bearer \(token)\r\n"
            + "\(Routes.versionHeader): \(Routes.version)\r\n"
            + "Content-Type: application/json\r\nContent-Length: "
        let size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let connected = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
        }
        guard connected == 0 else { throw PlainError.connection(String(cString: strerror(errno))) }
        var yes: Int32 = 1
        setsockopt(
            descriptor,
            Int32(IPPROTO_TCP),
            TCP_NODELAY,
            &yes,
            socklen_t(MemoryLayout<Int32>.size)
        )
    }

    deinit { close(descriptor) }

    /// The body of the answer to a call that must succeed; `seal` is that of the lease it is about.
    func post(_ path: String, _ body: String, seal: String = "") throws -> String {
        let sealed = seal.isEmpty ? "" : "\r\n\(Routes.sealHeader): \(seal)"
        let message =
            "POST \(Routes.prefix)\(path) HTTP/1.1\r\n\(head)\(body.utf8.count)\(sealed)\r\n\r\n"
            + body
        try send(Array(message.utf8))
        return try receive()
    }

    private func send(_ bytes: [UInt8]) throws {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                write(descriptor, $0.baseAddress, $0.count)
            }
            guard count > 0 else { throw PlainError.connection(String(cString: strerror(errno))) }
            sent += count
        }
    }

    private func receive() throws -> String {
        while true {
            if let end = headEnd() {
                let head = String(decoding: input[..<end], as: UTF8.self)
                guard let length = Self.length(head) else { throw PlainError.answer(head) }
                while input.count < end + length { try read() }
                let body = String(decoding: input[end..<end + length], as: UTF8.self)
                input.removeFirst(end + length)
                guard head.hasPrefix("HTTP/1.1 200") else { throw PlainError.answer(head + body) }
                return body
            }
            try read()
        }
    }

    private func read() throws {
        let count = recv(descriptor, &piece, piece.count, 0)
        guard count > 0 else { throw PlainError.connection("closed") }
        input += piece[..<count]
    }

    private func headEnd() -> Int? {
        guard input.count >= 4 else { return nil }
        for place in 3..<input.count
        where input[place] == 10 && input[place - 1] == 13 && input[place - 2] == 10 {
            return place + 1
        }
        return nil
    }

    private static func length(_ head: String) -> Int? {
        for line in head.utf8.split(separator: 10) {
            let text = String(decoding: line, as: UTF8.self)
            guard text.lowercased().hasPrefix("content-length:") else { continue }
            return Int(text.dropFirst(15).trimmingCharacters(in: .whitespacesAndNewlines))
        }
        return nil
    }
}

/// A lease, as far as this program needs it, out of the text of a claim's answer.
struct PlainLease {
    let id: String
    let epoch: String
    let seal: String
    let cell: String
    /// The JSON texts of its tests' names, to be sent back as they are.
    let tests: [Substring]

    /// Nil where the answer has no lease.
    init?(_ answer: String) {
        let text = Array(answer.utf8)
        guard let epoch = Self.value("epoch", in: text), let tests = Self.value("tests", in: text),
            let seal = Self.value("seal", in: text), let cell = Self.cell(in: text)
        else { return nil }
        self.epoch = epoch
        // Without its quotes, and without what kind of digest it is.
        self.seal = String(seal.filter { $0 != "\"" }.suffix(64))
        self.cell = cell
        id = "L" + epoch
        self.tests = tests.dropFirst().dropLast().split(separator: ",")
    }

    /// The text of the value of a key; a number, a text without quotes in it, or a list of such texts.
    private static func value(_ key: String, in text: [UInt8]) -> String? {
        let key = Array("\"\(key)\":".utf8)
        guard let place = end(of: key, in: text), place < text.count else { return nil }
        var end = place + 1
        let closing = [
            UInt8(ascii: "\""): UInt8(ascii: "\""), UInt8(ascii: "["): UInt8(ascii: "]"),
        ]
        if let last = closing[text[place]] {
            while end < text.count, text[end] != last { end += 1 }
            return String(decoding: text[place...min(end, text.count - 1)], as: UTF8.self)
        }
        while end < text.count, (48...57).contains(text[end]) { end += 1 }
        return String(decoding: text[place..<end], as: UTF8.self)
    }

    /// The cells of this program's runs are called `cell-NUMBER`.
    private static func cell(in text: [UInt8]) -> String? {
        let word = Array("cell-".utf8)
        guard let begin = end(of: word, in: text) else { return nil }
        var end = begin
        while end < text.count, (48...57).contains(text[end]) { end += 1 }
        return String(decoding: text[(begin - word.count)..<end], as: UTF8.self)
    }

    /// Where the first copy of `word` ends.
    private static func end(of word: [UInt8], in text: [UInt8]) -> Int? {
        guard let first = word.first, text.count >= word.count else { return nil }
        for place in 0...(text.count - word.count)
        where text[place] == first && text[place..<place + word.count].elementsEqual(word) {
            return place + word.count
        }
        return nil
    }
}
