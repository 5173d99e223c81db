// The check whether a worker can work at all, before it claims: a test that fails on a full or
// broken disk proves nothing about the test. An unfit worker reports that itself.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmFiles
import Foundation

/// A worker's check of its own machine.
package struct Fitness: Sendable {
    let worker: WorkerID
    let client: CoordinatorClient
    /// The worker's own folders; each check makes missing ones again.
    let folders: [String]
    let log: @Sendable (String) -> Void

    private var obstacle: WorkerError? {
        for folder in folders { try? FolderTree.make(folder) }
        return Self.obstacle(in: folders + [NSTemporaryDirectory()])
    }

    /// Waits until the worker can work.
    ///
    /// Reports an obstacle to the coordinator. With `staysIdle` it checks again until there is
    /// none.
    ///
    /// - Throws: `WorkerError.scratch` without `staysIdle`, if the worker cannot work.
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

    /// Returns the first fault of the folders that leases need, or `nil` if they can be used.
    static func obstacle(in folders: [String]) -> WorkerError? {
        for folder in folders {
            do {
                try check(folder)
            } catch let error as WorkerError {
                return error
            } catch let error as ArtifactError {
                return .scratch(path: folder, reason: error.message)
            } catch {
                return .scratch(path: folder, reason: error.inWords)
            }
        }
        return nil
    }

    /// Returns the number of free bytes of a folder's file system, or `nil` if unknown.
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
        // Free space proves nothing about permissions, quotas, or a disk that went read-only. The
        // name is random, so that no test can guess it.
        let probe = folder + "/.snapfarm-probe-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? files.removeItem(atPath: probe) }
        let bytes = Data(repeating: 0x5A, count: 4096)
        // Not synced: tests need no synced disk, and this check runs between any two leases.
        try UnsyncedFile.write(bytes, to: probe)
        guard files.contents(atPath: probe) == bytes else {
            throw WorkerError.scratch(path: folder, reason: "what is written cannot be read back")
        }
    }
}
