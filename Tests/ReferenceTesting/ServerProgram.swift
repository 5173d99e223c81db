// Servers that tests start, on free ports of this machine; they end with the test.
import FarmTesting
import Foundation
import Testing

/// A server program, killed with its children when the value goes away.
package final class ServerProgram {
    private let process: TestProcess

    /// Starts a program found on the PATH or in the usual folders of servers.
    ///
    /// A machine without it fails the test: an untested transport must not look tested.
    package init(_ name: String, _ arguments: [String]) throws {
        process = try TestProcess(
            [try Self.path(of: name)] + arguments,
            environment: gitEnvironment()
        )
    }

    package static func path(of name: String) throws -> String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        // The system's folders come first: an earlier folder of a PATH may contain a slow wrapper.
        let places = ["/usr/bin", "/usr/sbin", "/usr/lib/git-core"] + folders.map(String.init)
        let found = places.map { "\($0)/\(name)" }.first {
            FileManager.default.isExecutableFile(atPath: $0)
        }
        return try #require(found, "\(name) is missing: sh deploy/system-packages.sh test")
    }
}

/// Forwards connections to another port, counts bytes, and cuts the first connections.
package final class CuttingProxy {
    package let port: Int
    private let program: ServerProgram
    private let folder: TemporaryFolder

    /// Starts the proxy; the first `cuts` connections end after `bytes` bytes from or to the
    /// server.
    package init(to target: Int, cutting cuts: Int = 0, after bytes: Int = 0) throws {
        folder = try TemporaryFolder("proxy")
        port = try TestPort.reserved()
        let script = try folder.write("proxy.py", Self.script)
        program = try ServerProgram(
            "python3",
            [script, "\(port)", "\(target)", "\(cuts)", "\(bytes)", folder.file("counts")]
        )
        try TestPort.awaitListener(on: port)
    }

    /// Returns the number of bytes from the server in closed connections.
    package func bytesFromServer() throws -> Int {
        usleep(100_000)
        let lines = (try? String(contentsOfFile: folder.file("counts"), encoding: .utf8)) ?? ""
        return lines.split(separator: "\n").compactMap { Int($0) }.reduce(0, +)
    }

    private static let script = """
        import socket, sys, threading
        port, target, cuts, limit = map(int, sys.argv[1:5])
        lock = threading.Lock()
        left = [cuts]
        def close(*ends):
            for end in ends:
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError: pass
        def serve(near):
            far = socket.create_connection(('127.0.0.1', target))
            count = {near: 0, far: 0}
            cut = [None]
            def pump(a, b):
                try:
                    while True:
                        data = a.recv(65536)
                        if not data: break
                        count[a] += len(data)
                        if count[a] > limit and cut[0] is None:
                            with lock:
                                cut[0] = left[0] > 0
                                if cut[0]: left[0] -= 1
                        if cut[0]:
                            close(near, far)
                            return
                        b.sendall(data)
                    b.shutdown(socket.SHUT_WR)
                except OSError: pass
            threads = [threading.Thread(target=pump, args=x) for x in ((near, far), (far, near))]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            if count[far]:
                with lock, open(sys.argv[5], 'a') as out: out.write('%d\\n' % count[far])
            for end in (near, far): end.close()
        server = socket.create_server(('127.0.0.1', port))
        while True:
            near, _ = server.accept()
            threading.Thread(target=serve, args=(near,), daemon=True).start()
        """
}
