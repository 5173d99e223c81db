// The inputs of a run: everything that its tests could read. They are the files of the repository,
// and the versions of the programs that make pictures. The pin is none, and neither is what
// snapfarm itself writes.
import FarmArtifacts
import FarmCore
import FarmDrivers
import FarmFiles
import Foundation

struct RunInputs: Sendable {
    /// The root of the repository, or the pipeline file's folder outside of one.
    let root: String
    /// The absolute paths of the pin and of all that snapfarm writes.
    let own: [String]
    /// The absolute path of the pipeline file, which no pattern leaves out.
    let pipelineFile: String
    let ignored: [String]
    let environment: [String: String]

    /// The largest repository, in bytes, whose inputs are computed.
    static let bytesMax = 2 << 30

    /// Returns the digest of the inputs, or `nil` if it cannot be computed.
    ///
    /// `programs` are the programs of the machines that run the tests, as `NAME=VALUE`.
    func digest(programs: [String]) async -> Digest? {
        let files = await TreeDigest(of: Self.real(root), skipping: leavesOut)
            .compute(bytesMax: Self.bytesMax)
        let versions = ["snapfarm=\(ProgramVersion.text)"] + programs.sorted()
        return files.map {
            Digest(of: Data(([$0.description] + versions).joined(separator: "\n").utf8))
        }
    }

    /// Whether a path below the root is none of the inputs.
    var leavesOut: @Sendable (String) -> Bool {
        let real = Self.real(root)
        let skipped = own.compactMap { Self.real($0).path(below: real) }
        let globs = ignored.map { IgnoredPath($0) }
        let pipeline = Self.real(pipelineFile).path(below: real)
        return { path in
            skipped.contains { path == $0 || path.hasPrefix($0 + "/") }
                || path != pipeline && globs.contains { $0.covers(path) }
                    && pipeline?.hasPrefix(path + "/") != true
        }
    }

    /// Returns the programs of this machine, as `NAME=VALUE`.
    func programsHere() async -> [String] {
        let machine = MachineOffers(environment: environment, platform: BundlePlatform.current)
        return (machine.system() + (await machine.programs())).map { "\($0.name)=\($0.value)" }
    }

    static func real(_ path: String) -> String {
        let url = URL(fileURLWithPath: path)
        return url.deletingLastPathComponent().resolvingSymlinksInPath()
            .appendingPathComponent(url.lastPathComponent).path
    }
}

/// A pattern of `pathsIgnore`.
private struct IgnoredPath: Sendable {
    private let glob: Glob
    /// The pattern of the folder that a pattern with `/**` at its end covers.
    private let folder: Glob?

    init(_ pattern: String) {
        glob = Glob(pattern, mode: .path)
        folder = pattern.hasSuffix("/**") ? Glob(String(pattern.dropLast(3)), mode: .path) : nil
    }

    func covers(_ path: String) -> Bool { glob.matches(path) || folder?.matches(path) == true }
}
