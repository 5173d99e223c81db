// The driver `webdriver` for pipeline files, plans and bundles. A bundle has the scenes file and
// the folders of the pages that its scenes show.
import FarmCore
import FarmPipeline

/// The keys, settings and health checks of the driver `webdriver`.
package struct WebDriverKind: TestDriverKind {
    package let name = "webdriver"
    package let inputs = KnownInputs.recorded
    package let keys = [
        FileKey(
            "scenes",
            "The scenes file, relative to this file: which pages to open and capture.",
            example: "scenes: scenes.yaml"
        ),
        FileKey(
            "storybook",
            "Where stories are that become scenes: a folder that `storybook build` made, an address, or a path at "
                + "the server of `serve`. A story with the tag `\(Storybook.skippingTag)` is left out.",
            example: "storybook: storybook-static"
        ),
        FileKey(
            "element",
            "What is captured of each story, as a CSS selector, instead of the screen.",
            example: "storybook: storybook-static\nelement: \"#storybook-root > *\""
        ),
        FileKey(
            "elements",
            .boolean,
            "Whether the elements of each page (selectors, boxes, texts, styles) are kept beside its picture, so that "
                + "a change names those that differ.",
            example: "scenes: scenes.yaml\nelements: false",
            defaultValue: "true"
        ),
        FileKey(
            "accessibility",
            .boolean,
            "Whether what a screen reader is given of each page (roles, names, states) is a text beside its picture, "
                + "`<name>.aria.yaml`, where a scene does not say it.",
            example: "scenes: scenes.yaml\naccessibility: true",
            defaultValue: "false"
        ),
        FileKey(
            "axe",
            "The script of axe-core, which your project has: what it finds on each page is a text, `<name>.axe.yaml`. "
                + "What was accepted stays quiet; only new findings are a difference.",
            example: "scenes: scenes.yaml\naxe: node_modules/axe-core/axe.min.js"
        ),
        FileKey(
            "serve",
            .closed(ofServe),
            "A web server for pages with a path alone (`url: /cart`). Each worker starts its own, and ends it.",
            example: "scenes: scenes.yaml\nserve: {command: \"npm run dev -- --port {port}\"}"
        ),
        FileKey(
            "fullPage",
            .boolean,
            "Whether whole pages are captured, where a scene does not say it.",
            example: "scenes: scenes.yaml\nfullPage: true",
            defaultValue: "false: what the screen shows"
        ),
        FileKey(
            "fonts",
            .list(of: .string),
            "Fonts that must be installed where the pages are drawn, by their families.",
            example: "scenes: scenes.yaml\nfonts: [Noto Sans CJK JP]"
        ),
        FileKey(
            "time",
            .pattern("^(now|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(:[0-9]{2})?Z)$"),
            "What pages see as the time when they are opened; `now` for the machine's clock and its random numbers.",
            example: "scenes: scenes.yaml\ntime: \"2026-12-24T18:00:00Z\"",
            defaultValue: "\(WebDriverSettings.usualTime)"
        ),
        FileKey(
            "timeZone",
            "The time zone that the pages see, by its IANA name.",
            example: "scenes: scenes.yaml\ntimeZone: Asia/Tokyo",
            defaultValue: "UTC"
        ),
    ]

    static let ofServe = [
        FileKey(
            "command",
            "A command of the shell that serves until it is ended. `{port}` stands for a free port, and so does "
                + "the variable PORT.",
            example: "command: \"python3 -m http.server {port} --directory site\""
        ),
        FileKey(
            "url",
            "Where the command answers when it is ready, with `{port}`.",
            example: "command: ./serve.sh\nurl: \"http://127.0.0.1:{port}/health\"",
            defaultValue: "\(WebServerSettings.usualURL)"
        ),
        FileKey(
            "folder",
            "A folder of built pages that snapfarm serves itself, in place of a command.",
            example: "folder: dist"
        ),
        FileKey(
            "fallback",
            "The file of `folder` for paths that are not there, for apps that route in the page.",
            example: "folder: dist\nfallback: index.html",
            defaultValue: "such a path is an error"
        ),
    ]

    package func pictureRemedy(_ settings: WebDriverSettings) -> String? {
        "snapfarm takes the picture of each scene: the job's logs say why none."
    }

    package func makeDriver(
        environment: [String: String],
        isolation: Isolation?
    ) -> any TestDriver {
        WebDriverDriver(environment: environment, isolation: isolation)
    }

    package func health(of jobs: [Job], in place: HealthPlace) -> [HealthCheck] {
        WebDriverHealth(jobs: jobs, place: place).checks
    }

    package func entries(of job: Job, workTree: String) throws -> [TestID: Digest] {
        let settings = try settings(of: job.driver)
        var scenes = try WebDriverDriver.readScenes(of: settings, workTree: workTree)
        if let folder = settings.storybookFolder {
            scenes = try scenes + Storybook.read(folder: workTree + "/" + folder).scenes
        }
        return Dictionary(scenes.map { ($0.test, $0.digest) }) { first, _ in first }
    }

    package func settings(
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> WebDriverSettings? {
        var settings = WebDriverSettings()
        settings.scenes = job["scenes"].flatMap { reader.text($0, what: "scenes") }
        settings.storybook = job["storybook"].flatMap { reader.text($0, what: "storybook") }
        settings.element = job["element"].flatMap { reader.text($0, what: "element") }
        settings.serve = job["serve"].flatMap { server($0, in: job, &reader) }
        settings.fullPage = job["fullPage"].flatMap { reader.boolean($0, what: "fullPage") }
        settings.elements = job["elements"].flatMap { reader.boolean($0, what: "elements") }
        settings.accessibility = job["accessibility"].flatMap {
            reader.boolean($0, what: "accessibility")
        }
        settings.axe = job["axe"].flatMap { reader.text($0, what: "axe") }
        settings.fonts = job["fonts"].map { node in
            reader.list(node, what: "fonts").compactMap { reader.text($0, what: "a font") }
        }
        settings.time = job["time"].flatMap { time($0, &reader) }
        if let zone = job["timeZone"].flatMap({ reader.text($0, what: "timeZone") }) {
            settings.timeZone = zone
        }
        if job["scenes"] == nil, job["storybook"] == nil {
            _ = reader.required("scenes", in: job)
            return nil
        }
        if let node = job["element"], job["storybook"] == nil {
            reader.report(
                node,
                "\(job.what): element is for the stories of `storybook`.",
                "Write it into the scenes of the scenes file."
            )
        }
        if let node = job["storybook"], let place = settings.storybook, place.hasPrefix("/"),
            job["serve"] == nil
        {
            reader.report(
                node,
                "\(job.what): storybook is \"\(place)\", but the job has no server.",
                "Add `serve: {command: …}`; or name a folder without `/` in front."
            )
        }
        return settings
    }

    private func server(
        _ node: DocumentNode,
        in job: DocumentMap,
        _ reader: inout DocumentReader
    ) -> WebServerSettings? {
        let what = "\(job.what).serve"
        guard let entries = reader.mapping(node, known: Self.ofServe.names, what: what) else {
            return nil
        }
        var settings = WebServerSettings()
        settings.command = entries["command"].flatMap { reader.text($0, what: "\(what).command") }
        settings.url = entries["url"].flatMap { reader.text($0, what: "\(what).url") }
        settings.folder = entries["folder"].flatMap { reader.text($0, what: "\(what).folder") }
        settings.fallback = entries["fallback"].flatMap {
            reader.text($0, what: "\(what).fallback")
        }
        let isCommand = entries["command"] != nil
        if isCommand == (entries["folder"] != nil) {
            reader.report(
                node,
                "\(what) must hold a command or a folder.",
                "Write `serve: {command: \"npm run dev -- --port {port}\"}` or `serve: {folder: dist}`."
            )
        } else if let other = entries[isCommand ? "fallback" : "url"] {
            reader.report(
                other,
                "\(what): a \(isCommand ? "command has no fallback" : "folder has no url").",
                "Remove it."
            )
        }
        // Two workers of one machine would share the port, and the second would not start.
        if let node = entries["url"], let url = settings.url,
            !url.contains("{port}") || WebAddress(url.replacing("{port}", with: "65535")) == nil
        {
            reader.report(
                node,
                "\(what).url is \"\(url)\".",
                "Write an http address with `{port}`, such as \(WebServerSettings.usualURL): each "
                    + "worker of a machine gets a port of its own."
            )
        }
        return settings
    }

    private func time(_ node: DocumentNode, _ reader: inout DocumentReader) -> String? {
        guard let text = reader.text(node, what: "time") else { return nil }
        let isTime = text.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z/) != nil
        guard text == "now" || isTime else {
            reader.report(
                node,
                "time is \"\(text)\".",
                "Write `now`, or a time such as \(WebDriverSettings.usualTime)."
            )
            return nil
        }
        return text
    }

    package func mistakes(in settings: WebDriverSettings) -> [String] {
        let isInside = settings.paths.allSatisfy {
            !$0.isAbsolutePath && !$0.pathParts.contains("..")
        }
        return isInside ? [] : ["scenes, storybook or serve leave the work tree"]
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

    /// Returns the files and folders of a job's bundle; `pages` are the files that the job's scenes
    /// show, relative to the work tree.
    func selection(
        of job: Job,
        _ settings: WebDriverSettings,
        pages: [String]
    ) throws(BundleRefusal) -> BundleSelection {
        for path in settings.paths where path.isAbsolutePath || path.contains("..") {
            throw .outside(job.name, path)
        }
        // Only `bundle:` can name the files that a command needs.
        guard settings.serve?.command == nil || !job.bundle.isEmpty else {
            throw .nothing(job.name)
        }
        var selection = BundleSelection(globs: job.bundle)
        // `./scenes.yaml` is no path of a zip.
        func plain(_ path: String) -> String {
            path.pathParts.filter { !$0.isEmpty && $0 != "." }.joined(separator: "/")
        }
        selection.files = [settings.scenes].compactMap { $0.map(plain) } + Set(pages).sorted()
        // A page's styles, scripts and pictures lie beside and below it. Beside a page at the root
        // lies the whole work tree, so `bundle:` must name them.
        if job.bundle.isEmpty, let page = pages.first(where: { folder(of: $0).isEmpty }) {
            throw .beside(job.name, page)
        }
        let served = [settings.serve?.folder, settings.storybookFolder].compactMap { $0.map(plain) }
        if job.bundle.isEmpty, served.contains("") { throw .nothing(job.name) }
        let folders = Set(selection.files.map(folder) + served)
        selection.folders = folders.subtracting([""]).sorted()
        return selection
    }

    /// Returns the folder of a file, which is empty at the root.
    private func folder(of path: String) -> String {
        path.pathParts.dropLast().joined(separator: "/")
    }
}
