// The driver `webdriver` as pipeline files, plans and bundles know it. What travels is the scenes file
// and the folders of the pages that its scenes show.
import FarmCore
import FarmPipeline

/// The driver `webdriver`, from outside.
package struct WebDriverKind: TestDriverKind {
    package let name = "webdriver"
    package let keys = [
        FileKey(
            "scenes",
            "The scenes file, relative to this file: which pages to open and capture.",
            example: "scenes: scenes.yaml"
        ),
        FileKey(
            "timeZone",
            "The time zone that the pages see, by its IANA name.",
            example: "scenes: scenes.yaml\ntimeZone: Asia/Tokyo",
            usual: "UTC"
        ),
    ]

    package init() {}

    package func makeDriver(environment: [String: String]) -> any TestDriver {
        WebDriverDriver(environment: environment)
    }

    package func settings(
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> WebDriverSettings? {
        let zone = job["timeZone"].flatMap { reader.text($0, what: "timeZone") }
        return reader.required("scenes", in: job)
            .map { WebDriverSettings(scenes: $0, timeZone: zone ?? "UTC") }
    }

    package func bundle(
        _ job: Job,
        _ settings: WebDriverSettings,
        prepared: [String: String],
        workTree: String
    ) throws -> BundleSelection {
        try selection(
            of: job,
            settings,
            pages: WebDriverDriver.pages(of: settings, workTree: workTree)
        )
    }

    /// `pages` are the files that the job's scenes show, relative to the work tree.
    func selection(
        of job: Job,
        _ settings: WebDriverSettings,
        pages: [String]
    ) throws(BundleRefusal) -> BundleSelection {
        guard !settings.scenes.isAbsolutePath, !settings.scenes.contains("..") else {
            throw .outside(job.name, settings.scenes)
        }
        var selection = BundleSelection(globs: job.bundle)
        // `./scenes.yaml` is no path of a zip.
        let scenes = settings.scenes.pathParts.filter { !$0.isEmpty && $0 != "." }
        selection.files = [scenes.joined(separator: "/")] + Set(pages).sorted()
        // A page's styles, scripts and pictures lie beside and below it. Beside a page at the root
        // lies the whole work tree: only `bundle:` tells.
        if job.bundle.isEmpty, let page = pages.first(where: { folder(of: $0).isEmpty }) {
            throw .beside(job.name, page)
        }
        selection.folders = Set(selection.files.map(folder)).subtracting([""]).sorted()
        return selection
    }

    /// Empty for a file at the root.
    private func folder(of path: String) -> String {
        path.pathParts.dropLast().joined(separator: "/")
    }
}
