// The driver `swiftpm` for pipeline files, plans and bundles. A bundle has the built test program,
// and the package's manifest to mark its folder.
import FarmCore
import FarmPipeline
import Foundation

/// The keys, settings and health checks of the driver `swiftpm`.
package struct SwiftPMKind: TestDriverKind {
    package let name = "swiftpm"
    package let keys = [
        FileKey(
            "package",
            "The folder of a Swift package, relative to this file. snapfarm builds it once.",
            example: "package: Core"
        )
    ]
    package let builds = true
    package let inputs = KnownInputs.built

    package func makeDriver(
        environment: [String: String],
        isolation: Isolation?
    ) -> any TestDriver {
        SwiftPMDriver(environment: environment, isolation: isolation)
    }

    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] {
        jobs.map { job in
            HealthCheck("swift") { await Self.lines(of: job, in: place) }
        }
    }

    private static func lines(of job: Job, in place: HealthPlace) async -> [HealthLine] {
        guard let settings = try? SwiftPMKind().settings(of: job.driver) else { return [] }
        let folder = SwiftPMDriver.folder(of: settings, in: place.workTree)
        guard FileManager.default.fileExists(atPath: folder + "/Package.swift") else {
            return [
                .failure(
                    "job \(job.name)",
                    "\(settings.package) has no Package.swift.",
                    remedy: "Correct `package`; it starts at the pipeline file's folder.",
                    exit: .invalidInput
                )
            ]
        }
        let swift = VersionProgram(
            "swift",
            environment: CleanEnvironment(parent: place.environment).forBuilding(job),
            folder: folder
        )
        do {
            return [.ok("swift", try await swift.version() + ", for job \(job.name)")]
        } catch {
            return [.failure("swift", error)]
        }
    }

    package func settings(
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> SwiftPMSettings? {
        reader.required("package", in: job).map { SwiftPMSettings(package: $0) }
    }

    package func bundle(
        _ job: Job,
        _ settings: SwiftPMSettings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection {
        var selection = BundleSelection(globs: job.bundle, isBuilt: true)
        for path in prepared.values.sorted() {
            guard let relative = BundleRules.relative(path, to: workTree) else {
                throw BundleRefusal.outside(job.name, path)
            }
            if path.hasSuffix(".xctest") {
                selection.files.append(relative)
            } else {
                selection.files.append(
                    relative.isEmpty ? "Package.swift" : "\(relative)/Package.swift"
                )
            }
        }
        return selection
    }

    package func products(
        _ settings: SwiftPMSettings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts {
        guard let program = SwiftPMDriver.program(of: prepared) else {
            throw DriverError.noTestProgram(folder: settings.package)
        }
        let (folder, name) = splitPath(program)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        // Resources of targets lie beside the program.
        let resources = names.filter { $0.hasSuffix(".resources") || $0.hasSuffix(".bundle") }
        let paths = ([name] + resources.sorted()).map { "\(folder)/\($0)" }
        return BuiltProducts(
            paths: paths,
            handedOn: paths.map { BundleRules.relative($0, to: workTree) ?? $0 }
        )
    }
}
