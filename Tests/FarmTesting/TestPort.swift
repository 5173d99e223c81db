// Ports of this machine for servers that tests start.
import Foundation
import Synchronization

package enum TestPort {
    private static let kept = Mutex<[Int32]>([])

    package struct NoPort: Error {
        package let errno: Int32

        package init(errno: Int32) { self.errno = errno }
    }
    package struct Silent: Error {
        package let port: Int
    }

    /// Returns a port of 127.0.0.1 on which nothing listens, reserved for the server that the test
    /// starts.
    ///
    /// A socket stays bound to the port without listening. The kernel then gives the port to no
    /// other process that asks for any port. A server with `SO_REUSEADDR`, which all servers of
    /// tests set, can still bind it, even again after a kill. The newest 1,000 ports are kept.
    package static func reserved() throws -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard socket >= 0 else { throw NoPort(errno: errno) }
        // If a child inherited the socket, it would keep the port longer than this process.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        var on: Int32 = 1
        setsockopt(
            socket,
            SOL_SOCKET,
            SO_REUSEADDR,
            &on,
            socklen_t(MemoryLayout.size(ofValue: on))
        )
        var address = loopback(0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(socket, address, length) == 0 ? getsockname(socket, address, &length) : -1
            }
        }
        guard code == 0 else {
            defer { close(socket) }
            throw NoPort(errno: errno)
        }
        let oldest = kept.withLock { kept in
            kept.append(socket)
            return kept.count > 1_000 ? kept.removeFirst() : nil
        }
        if let oldest { close(oldest) }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Waits until a server listens on a port; throws after five seconds.
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
