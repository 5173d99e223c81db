// Ports of this machine for servers that tests start.
import Foundation

package enum TestPort {
    package struct NoPort: Error {
        package let errno: Int32

        package init(errno: Int32) { self.errno = errno }
    }
    package struct Silent: Error {
        package let port: Int
    }

    /// A port that nobody listens on at this moment.
    package static func free() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 ? getsockname(socket, address, &length) : -1
            }
        }
        guard code == 0 else { throw NoPort(errno: errno) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits until somebody listens on a port.
    package static func awaitListener(on port: Int) throws {
        for _ in 0..<500 {
            let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(socket) }
            var address = loopback(port)
            let code = withUnsafePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
            if code == 0 { return }
            usleep(10_000)
        }
        throw Silent(port: port)
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(port).bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        return address
    }
}
