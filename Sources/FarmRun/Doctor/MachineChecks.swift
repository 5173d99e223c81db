// The doctor's checks of this machine: Git, the disks of the folders that runs write to, memory.
import FarmCore
import FarmGit
import FarmPipeline
import FarmWorker
import Foundation

struct MachineChecks: Sendable {
    /// The source of the pipeline, or `nil` if there is no pipeline file.
    let source: PipelineSource?
    /// The absolute path of the data folder; if `nil`, it is beside the pipeline file.
    let data: String?
    let environment: [String: String]

    var checks: [HealthCheck] {
        [
            HealthCheck("git") {
                await Doctor.blocking { [git(), workTree()].compactMap(\.self) }
            },
            HealthCheck("disk") { folders.map(MachineHealth.line) },
            HealthCheck("memory") { [memory()] },
        ]
    }

    private func git() -> HealthLine {
        var access = RemoteAccess.own(environment)
        access.stallSeconds = Int(FarmLimits.healthSeconds)
        do {
            let version = try GitProgram.check(access)
            return .ok("git", "git \(version), libgit2 \(GitLibrary.version)")
        } catch let error as any ExplainedError {
            let line = HealthLine.failure("git", error)
            // A pipeline without references runs without Git.
            guard let source, source.pipeline.references == nil else { return line }
            return .warning("git", line.fact, remedy: line.remedy)
        } catch {
            return .failure("git", error)
        }
    }

    /// Returns a warning if libgit2 cannot read the repository around the pipeline file, or else
    /// `nil`.
    private func workTree() -> HealthLine? {
        guard let source else { return nil }
        let found = CheckedOut(around: source.folder, environment)
        guard let obstacle = found.obstacle else { return nil }
        let runs =
            found.commit.isEmpty
            ? "Runs do not know their commit and branch"
            : "Runs ask git for their commit and branch"
        return .warning(
            "work tree",
            "\(obstacle.message) \(runs); `refs checkout`, `refs merge`, `refs prune`, `refs import` "
                + "and `approve --commit` do not work here.",
            remedy: obstacle.remedy
        )
    }

    private var folders: [WrittenFolder] {
        let working = FileManager.default.currentDirectoryPath
        return [
            ("data folder", data ?? (source?.folder ?? working) + "/.snapfarm"),
            ("output", working + "/snapfarm-out"),
            ("temporary", NSTemporaryDirectory().standardizedPath),
            ("cache", WorkerProcess.userCache(environment)),
        ].map { subject, path in
            let place = Self.nearest(path)
            return WrittenFolder(
                subject,
                path: path,
                freeBytes: Fitness.freeBytes(of: place),
                isWritable: Self.isFolder(place)
                    && FileManager.default.isWritableFile(atPath: place)
            )
        }
    }

    /// Returns the folder's path, or that of its nearest parent that exists.
    private static func nearest(_ path: String) -> String {
        var place = path
        while place != "/", !FileManager.default.fileExists(atPath: place) {
            place = place.parentFolder
        }
        return place
    }

    private static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
            && isFolder.boolValue
    }

    private func memory() -> HealthLine {
        let process = ProcessInfo.processInfo
        return MachineHealth.memory(
            cores: process.activeProcessorCount,
            bytes: Int(clamping: process.physicalMemory),
            freeMemory: HostMemory.free()
        )
    }
}
