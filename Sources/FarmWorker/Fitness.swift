// Whether a worker can work at all, looked at before it asks for a lease: a test that fails on a
// full or broken disk says nothing about the test. A worker that cannot work says so itself.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// A worker's look at its own machine.
package struct Fitness: Sendable {
    let worker: WorkerID
    let client: CoordinatorClient
    /// The worker's own folders, which are made again where a test removed or closed them.
    let folders: [String]
    let log: @Sendable (String) -> Void

    private var obstacle: WorkerError? {
        for folder in folders { try? FolderTree.make(folder) }
        return Self.obstacle(in: folders + [NSTemporaryDirectory()])
    }

    /// Returns when the worker can work.
    ///
    /// The coordinator hears why it cannot. One that `staysIdle` looks again until it can.
    ///
    /// - Throws: `WorkerError.scratch` for one that does not.
    func wait(staysIdle: Bool) async throws {
        var said: Problem?
        while let error = obstacle {
            let problem = Problem(
                code: Problem.workerUnfitCode,
                message: "worker \(worker) cannot work: \(error.message)",
                remedy: error.remedy
            )
            try await client.hello(
                HelloRequest(worker: worker, beginsAnew: false, unfit: problem)
            )
            guard staysIdle else { throw error }
            if said != problem { log(problem.message) }
            said = problem
            try await Task.sleep(for: .seconds(FarmLimits.unfitSeconds))
        }
        guard said != nil else { return }
        log("worker \(worker) can work again.")
        try await client.hello(HelloRequest(worker: worker, beginsAnew: false))
    }

    /// What is wrong with a folder that leases need; nil: nothing.
    static func obstacle(in folders: [String]) -> WorkerError? {
        for folder in folders {
            do {
                try check(folder)
            } catch let error as WorkerError {
                return error
            } catch let error as ArtifactError {
                return .scratch(path: folder, reason: error.message)
            } catch {
                return .scratch(path: folder, reason: error.localizedDescription)
            }
        }
        return nil
    }

    /// Bytes that are free where a folder lies; nil where nobody knows.
    package static func freeBytes(of folder: String) -> Int? {
        let facts = try? FileManager.default.attributesOfFileSystem(forPath: folder)
        return facts?[.systemFreeSize] as? Int
    }

    private static func check(_ folder: String) throws {
        let files = FileManager.default
        try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
        if let free = freeBytes(of: folder), free < FarmLimits.scratchBytesMin {
            throw WorkerError.scratch(path: folder, reason: "no space left (\(free) bytes)")
        }
        // Free space says nothing of permissions, quotas, or a disk that went read-only.
        // No test knows its name.
        let probe = folder + "/.snapfarm-probe-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? files.removeItem(atPath: probe) }
        let bytes = Data(repeating: 0x5A, count: 4096)
        // Tests wait for no disk either, and this stands between two leases.
        try PassingFile.write(bytes, to: probe)
        guard files.contents(atPath: probe) == bytes else {
            throw WorkerError.scratch(path: folder, reason: "what is written cannot be read back")
        }
    }
}
