import FarmCore
import FarmDrivers
import FarmLedger
import FarmServer
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmAPI
@testable import FarmWorker

@Suite("Renewals")
struct RenewalTests {
    @Test("a hundred uploads that hang do not keep a renewal waiting", .timeLimit(.minutes(1)))
    func ownConnection() async throws {
        let server = try DeafServer()
        defer { server.stop() }
        let url = "http://127.0.0.1:\(server.port)"
        let client = CoordinatorClient(url: url, token: "t", patience: .patient)
        let renewals = CoordinatorClient(url: url, token: "t", patience: .once)
        let bytes = Data(repeating: 1, count: 4 << 20)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<100 {
                group.addTask { try? await client.put(bytes, as: Digest(of: bytes)) }
            }
            // All connections of one client are in use.
            while server.connections < 64 { try? await Task.sleep(for: .milliseconds(10)) }
            let token = LeaseToken(id: LeaseID("L1"), epoch: 1)
            let answer = try? await renewals.renew(token, running: nil)
            #expect(answer == .accepted)
            group.cancelAll()
            server.stop()
        }
        await client.close()
        await renewals.close()
    }

    @Test("tests that a program only names show in the progress, and are no suspects")
    func reached() async throws {
        let farm = try RestartableFarm("reached")
        let isSeen = Door()
        let driver = ScriptedDriver(
            reportsAtEnd: true,
            beginning: { .mentioned($0) },
            { test, _ in if test == TestID("t1") { try await isSeen.wait() } }
        )
        let isOver = Door()
        let timing = LeaseTiming(leaseSeconds: FarmLimits.leaseSeconds, renewalSeconds: 0.1)
        async let worked: Void = farm.work(driver, timing: timing, until: isOver)
        try await farm.serve { coordinator, ledger in
            // The only worker gets two of the four tests.
            try await farm.submit(tests: 4, to: coordinator)
            var progress = try await coordinator.progress(farm.run)
            for _ in 0..<6_000 {
                if progress.reached == 2 { break }
                try await Task.sleep(for: .milliseconds(10))
                progress = try await coordinator.progress(farm.run)
            }
            #expect(progress.reached == 2 && progress.done == 0)
            // The test that was started last would be the suspect.
            try await coordinator.workerLost(WorkerID("w"))
            let lost = try await ledger.evidence(farm.run).tests.filter {
                $0.attempts.contains { $0.outcome == .workerLost }
            }
            #expect(lost.map(\.key.test) == [TestID("t0")])
            try await coordinator.cancel(farm.run)
            isSeen.open()
        }
        isOver.open()
        try await worked
    }

    @Test("a coordinator that is away is asked again, with pauses, for as long as it is said")
    func patience() async throws {
        let url = "http://127.0.0.1:\(try TestPort.reserved())"
        let token = LeaseToken(id: LeaseID("L1"), epoch: 1)
        for (patience, least) in [
            (RetryPolicy.once, 0.0), (RetryPolicy(attemptsMin: 2, seconds: 1), 1.0),
        ] {
            let client = CoordinatorClient(url: url, token: "t", patience: patience)
            let began = ContinuousClock.now
            await #expect(throws: APIError.self) { try await client.release(token) }
            #expect(ContinuousClock.now - began >= .seconds(least))
            await client.close()
        }
    }
}

/// A server that accepts every connection and reads it slowly or not at all; it answers only a
/// renewal.
private final class DeafServer: Sendable {
    let port: Int
    private let listener: Int32
    private let state = Mutex<[Int32]>([])

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let socket = listener
        let bound = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, length) == 0 ? getsockname(socket, $0, &length) : -1
            }
        }
        guard bound == 0, listen(listener, 256) == 0 else {
            throw TestPort.NoPort(errno: errno)
        }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread { [self] in acceptAll() }.start()
    }

    var connections: Int { state.withLock { $0.count } }

    func stop() {
        shutdown(listener, Int32(SHUT_RDWR))
        for connection in state.withLock({ $0 }) { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    private func acceptAll() {
        while case let connection = accept(listener, nil, nil), connection >= 0 {
            state.withLock { $0.append(connection) }
            Thread { Self.answer(connection) }.start()
        }
    }

    private static func answer(_ connection: Int32) {
        var buffer = [UInt8](repeating: 0, count: 512)
        let count = read(connection, &buffer, buffer.count)
        guard count > 0, String(decoding: buffer[..<count], as: UTF8.self).contains("/renew")
        else { return }
        let body = #"{"answer":"accepted"}"#
        let reply = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n" + body
        _ = reply.withCString { write(connection, $0, strlen($0)) }
    }
}
