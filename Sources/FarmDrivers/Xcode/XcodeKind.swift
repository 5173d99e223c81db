// The driver `xcodebuild` for pipeline files, plans and bundles. A bundle has the products of the
// build: the folder of the `.xctestrun` file, or the whole `.xctestproducts` folder.
import FarmCore
import FarmPipeline
import Foundation

/// The keys, settings and health checks of the driver `xcodebuild`.
package struct XcodeKind: TestDriverKind {
    /// The seconds that `xcodebuild` takes before its first test, a guess for runs without a
    /// history; `bootSecondsGuess` is that for a simulator's boot.
    private static let launchSecondsGuess = 15.0
    private static let bootSecondsGuess = 30.0

    package let name = "xcodebuild"
    package let runsOnDevices = true
    package let builds = true
    package let inputs = KnownInputs.built
    package let keys = XcodeKeys.job
    package let startGuess: StartGuess? = StartGuess(
        warmSeconds: XcodeKind.launchSecondsGuess,
        coldSeconds: XcodeKind.launchSecondsGuess + XcodeKind.bootSecondsGuess
    )

    package func makeDriver(
        environment: [String: String],
        isolation: Isolation?
    ) -> any TestDriver {
        XcodeDriver(environment: environment)
    }

    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] {
        let health = XcodeHealth(jobs: jobs, place: place)
        // Apple's tools take long at their first call.
        return [HealthCheck("xcode", seconds: FarmLimits.versionSeconds) { await health.lines() }]
    }

    package func settings(in job: DocumentMap, _ reader: inout DocumentReader) -> XcodeSettings? {
        func text(_ key: String) -> String? {
            job[key].flatMap { reader.text($0, what: "\(job.what).\(key)") }
        }
        func texts(_ key: String) -> [String] {
            guard let node = job[key] else { return [] }
            return reader.list(node, what: "\(job.what).\(key)").compactMap {
                reader.text($0, what: "an entry of \(key)")
            }
        }
        let settings = XcodeSettings(
            workspace: text("workspace"),
            project: text("project"),
            scheme: text("scheme"),
            testPlan: text("test-plan"),
            configuration: text("configuration"),
            xctestrun: text("xctestrun"),
            testProducts: text("test-products"),
            targets: texts("targets"),
            skip: texts("skip")
        )
        guard let fact = settings.mistake else { return settings }
        reader.report(
            job.node,
            "\(job.what) \(fact).",
            "Write `workspace:` or `project:` with `scheme:`; or what another build has made, as "
                + "`xctestrun:` or `test-products:`."
        )
        return nil
    }

    package func mistakes(in settings: XcodeSettings) -> [String] {
        settings.mistake.map { ["the driver xcodebuild \($0)"] } ?? []
    }

    package func bundle(
        _ job: Job,
        _ settings: XcodeSettings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection {
        let products = try XcodeProducts(prepared: prepared)
        let folder = products.folder(settings)
        guard let inside = BundleRules.relative(folder, to: workTree) else {
            throw BundleRefusal.outside(job.name, products.path)
        }
        var selection = BundleSelection(globs: job.bundle, isBuilt: true)
        // Each launch writes its copy of the `.xctestrun` beside it.
        selection.isWritable = true
        // Named one by one: no pattern reaches into folders of build products.
        selection.files = try LeaseListing(of: folder).allFiles.map { "\(inside)/\($0)" }
        return selection
    }

    package func products(
        _ settings: XcodeSettings,
        prepared: [String: String],
        workTree: String
    ) throws -> BuiltProducts {
        let products = try XcodeProducts(prepared: prepared)
        let folder = products.folder(settings)
        let isOurs = settings.xctestrun == nil && settings.testProducts == nil
        let place = BundleRules.relative(folder, to: workTree) ?? folder
        return BuiltProducts(
            paths: [folder],
            handedOn: [isOurs ? XcodeBuild.everyProducts : place]
        )
    }
}

extension XcodeSettings {
    /// The reason why nothing can be built or run with the settings, as the end of a sentence, or
    /// `nil` if there is none.
    fileprivate var mistake: String? {
        let sources = [workspace, project, xctestrun, testProducts].count { $0 != nil }
        if sources == 0 { return "has nothing to build and nothing that was built" }
        if sources > 1 { return "has more than one of workspace, project and built products" }
        let isBuilt = xctestrun != nil || testProducts != nil
        if !isBuilt, scheme == nil { return "has no scheme" }
        if isBuilt, scheme ?? configuration != nil {
            return "has a scheme or configuration beside built products"
        }
        return nil
    }
}

extension XcodeProducts {
    /// Returns the folder that is needed to run the products: the `.xctestproducts` folder, or the
    /// folder of the file.
    fileprivate func folder(_ settings: XcodeSettings) -> String {
        let folder = splitPath(path).folder
        guard settings.testProducts != nil, splitPath(splitPath(folder).folder).name == "Tests"
        else { return folder }
        return splitPath(splitPath(folder).folder).folder
    }
}

extension LeaseListing {
    /// The sorted paths of all files and links, except the `.xctestrun` copies that launches write.
    fileprivate var allFiles: [String] {
        (files + links.keys + otherLinks).filter { !TestRunFile.isCopy(splitPath($0).name) }
            .sorted()
    }
}
