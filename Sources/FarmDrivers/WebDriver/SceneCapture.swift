// Captures one scene on one cell: opens the page, waits, does its steps, makes it still, captures
// it.
import FarmCore
import Foundation

/// Captures scenes of one cell in one browser.
struct SceneCapture: Sendable {
    var browser: Browser
    var emulation: Emulation
    /// The size in pixels that a capture of the whole screen must have.
    var screen: PixelSize
    var workTree: String
    /// The addresses of the job's servers, for pages without an address of their own.
    var sites: PageSites
    /// The time that the page sees when it is opened.
    var time: String
    /// Whether whole pages are captured, for scenes without a setting of their own.
    var isFullPage: Bool
    /// The most seconds that one scene may take.
    ///
    /// The scene's wait gets most of the time that is left when the page is open, so that a page
    /// that is not ready gets another error than a page that hangs, also on a busy machine.
    var testSeconds: Double
    /// The most pixels in the picture of a whole page; a longer page is cut.
    var pixelsMax: Int
    /// Whether a page that may go on drawing is captured twice, some time apart.
    var looksTwice: Bool
    /// Whether the elements of the page are kept beside its picture.
    var keepsElements: Bool
    /// Whether the accessibility tree of pages is taken, for scenes without a setting of their own.
    var takesAccessibility: Bool
    /// The text of axe-core's script, or `nil` to run none.
    var axe: String?
    /// The files behind the addresses of pages, if the files that a page reads are recorded.
    var files: PageFiles?
    /// Whether this is the shard's first scene in the browser; the caches of earlier shards are
    /// then cleared.
    var isFirst: Bool

    private static let waitShare = 0.8
    /// The most evaluations of a script: a page may redirect itself while the script runs in it.
    private static let evaluationsMax = 4

    /// Opens the scene's page, and returns its picture.
    ///
    /// - Throws: ``SceneError``; ``WebDriverFailure`` if the browser may be the cause;
    ///   `TimeLimitExceeded` after `testSeconds`, with the browser in an unknown state.
    func picture(of scene: Scene) async throws -> ScenePicture {
        try await withTimeLimit(seconds: testSeconds) {
            let began = ContinuousClock.now
            let address = try sites.address(of: scene, in: workTree)
            try await prepare(for: scene, address)
            try await open(address, of: scene)
            let report = try await settle(scene, end: began + .seconds(testSeconds))
            var picture = try await capture(report, scene)
            picture.inputs = try await recordedInputs(of: scene)
            return picture
        }
    }

    /// Returns the texts about the page by the endings of their names, and the boxes of the elements
    /// that each line of the findings names.
    func texts(
        of scene: Scene
    ) async throws -> (texts: [String: String], boxes: [String: [PageReport.Box]]) {
        var texts: [String: String] = [:]
        var boxes: [String: [PageReport.Box]] = [:]
        if scene.accessibility ?? takesAccessibility {
            texts[".aria.yaml"] = try await browser.accessibilityTree().text()
        }
        if let axe {
            let report = try await findings(axe)
            texts[TextRule.findingsEnding] = report.text()
            boxes = report.boxes()
        }
        return (texts, boxes)
    }

    private func findings(_ axe: String) async throws -> AxeReport {
        do {
            return try await ask(AxeReport.question(axe))
        } catch SceneError.scriptFailed(let reason) {
            throw SceneError.axeFailed(reason: reason)
        }
    }

    /// Returns the files that the page has read until now, or `nil` if they are not recorded.
    private func recordedInputs(of scene: Scene) async throws -> RecordedInputs? {
        guard let files else { return nil }
        let requests = PageRequests(of: try await browser.takeNetworkEvents())
        let noted: UnknownReport = try await ask(PageUnknowns.question)
        var unknown = time == "now" ? "the machine's clock" : noted.unknown
        if case .story = scene.page, !files.served.contains(where: { $0.address == sites.stories })
        {
            unknown = "a list of stories that is no file"
        }
        return files.inputs(of: requests, unknown: unknown)
    }

    /// Brings the browser into the state of a fresh one, and sets the scene's cell.
    private func prepare(for scene: Scene, _ address: String) async throws {
        if isFirst { try await browser.forget() }
        // Drops the events of the page before.
        if files != nil { _ = try await browser.takeNetworkEvents() }
        try await browser.setInput(isIgnored: true)
        try await browser.emulate(emulation)
        try await browser.prepare(
            PagePreloadScript.text(
                time: time,
                localStorage: scene.localStorage,
                notesUnknowns: files != nil
            )
        )
        for (name, value) in scene.cookies.sorted(by: { $0.key < $1.key }) {
            _ = try await browser.command(
                "Network.setCookie",
                ["name": .text(name), "value": .text(value), "url": .text(address)],
                as: AnyAnswer.self
            )
        }
    }

    /// Whether the file of a page, relative to the work tree, exists.
    static func isPage(_ path: String, in workTree: String) -> Bool {
        var isFolder: ObjCBool = false
        let isThere = FileManager.default.fileExists(
            atPath: workTree + "/" + path,
            isDirectory: &isFolder
        )
        return isThere && !isFolder.boolValue
    }

    private func open(_ address: String, of scene: Scene) async throws {
        let error: String?
        let seconds = testSeconds * Self.waitShare
        do {
            error = try await withTimeLimit(seconds: seconds) { try await browser.open(address) }
        } catch is TimeLimitExceeded {
            throw SceneError.unanswered(page: scene.page.words, seconds: seconds)
        }
        guard let error else { return }
        if error == "net::ERR_FILE_NOT_FOUND" {
            throw SceneError.pageNotFound(page: scene.page.words, status: nil)
        }
        // A status without a body comes as this error; the page's own report has the status.
        guard error == "net::ERR_HTTP_RESPONSE_CODE_FAILURE" else {
            throw SceneError.pageError(page: scene.page.words, reason: error)
        }
    }

    // MARK: settling

    private struct Evaluation<Value: Decodable & Sendable>: Decodable, Sendable {
        struct Result: Decodable, Sendable { var value: Value? }
        struct Exception: Decodable, Sendable {
            struct Thrown: Decodable, Sendable { var description: String? }
            var text: String
            var exception: Thrown?
        }
        var result: Result
        var exceptionDetails: Exception?

        enum CodingKeys: CodingKey { case result, exceptionDetails }

        /// Decodes the value only if nothing was thrown: else it is that of the error object.
        init(from decoder: any Decoder) throws {
            let object = try decoder.container(keyedBy: CodingKeys.self)
            exceptionDetails = try object.decodeIfPresent(Exception.self, forKey: .exceptionDetails)
            result =
                exceptionDetails == nil
                ? try object.decode(Result.self, forKey: .result) : Result(value: nil)
        }
    }

    private func settle(
        _ scene: Scene,
        end: ContinuousClock.Instant
    ) async throws -> PageReport {
        func report(_ part: PageRequest.Part) async throws -> PageReport {
            let left = max(0, (end - .now) / .seconds(1)) * Self.waitShare
            let request = PageRequest(
                part: part,
                waitSeconds: left,
                selectorSeconds: SceneSteps.elementSecondsMax,
                scale: emulation.scale,
                isFullPage: scene.fullPage ?? isFullPage && scene.element == nil,
                pixelsMax: pixelsMax
            )
            let report: PageReport = try await ask(PageScript.text(for: scene, request))
            try check(report, scene)
            return report
        }
        guard !scene.steps.isEmpty else { return try await report(.whole) }
        _ = try await report(.ready)
        let left = max(0, (end - .now) / .seconds(1)) * Self.waitShare
        try await SceneSteps(
            browser: browser,
            evaluate: { try await ask($0) },
            deadline: .now + .seconds(left)
        ).perform(scene.steps)
        return try await report(.settled)
    }

    /// Runs a script in the page, and returns its value.
    func ask<Value: Decodable & Sendable>(_ script: String) async throws -> Value {
        let evaluation: Evaluation<Value> = try await evaluate(script)
        if let exception = evaluation.exceptionDetails {
            let reason = exception.exception?.description ?? exception.text
            let line = String(reason.prefix { $0 != "\n" }.prefix(300))
            throw SceneError.scriptFailed(reason: "what the scene asks of the page failed: \(line)")
        }
        guard let value = evaluation.result.value else {
            throw SceneError.scriptFailed(reason: "the page did not answer what the scene asks")
        }
        return value
    }

    private func check(_ report: PageReport, _ scene: Scene) throws(SceneError) {
        let page = scene.page.words
        switch report.state {
        case .ready:
            guard let masks = report.masks, let selector = masks.absent else { return }
            throw .maskMissing(
                selector: selector,
                near: PageMasks.near(selector, among: masks.names ?? [])
            )
        case .refused where [404, 410].contains(report.status):
            throw .pageNotFound(page: page, status: report.status)
        case .refused: throw .pageError(page: page, reason: "status \(report.status)")
        case .errorPage where [404, 410].contains(report.status):
            throw .pageNotFound(page: page, status: report.status)
        case .errorPage:
            throw .pageError(
                page: page,
                reason: "the browser showed an error (status \(report.status))"
            )
        case .waiting:
            if case .selector(let selector)? = scene.wait {
                throw .selectorMissing(
                    selector,
                    seconds: min(SceneSteps.elementSecondsMax, testSeconds * Self.waitShare),
                    thrown: report.thrown
                )
            }
            throw .waitTimedOut(
                condition: scene.wait?.words ?? "nothing to wait for",
                seconds: testSeconds,
                thrown: report.thrown
            )
        case .failed: throw .scriptFailed(reason: report.reason ?? "unknown")
        case .noElement:
            throw .elementMissing(selector: scene.element ?? "", thrown: report.thrown)
        case .storyFailed: throw .storyFailed(reason: report.reason ?? "it does not say why")
        }
    }

    private func evaluate<Value>(_ script: String) async throws -> Evaluation<Value> {
        for _ in 1..<Self.evaluationsMax {
            do {
                return try await evaluateOnce(script)
            } catch let failure as WebDriverFailure {
                let gone = ["context was destroyed", "navigated or closed", "Cannot find context"]
                guard gone.contains(where: failure.message.contains) else { throw failure }
            }
        }
        return try await evaluateOnce(script)
    }

    private func evaluateOnce<Value>(_ script: String) async throws -> Evaluation<Value> {
        try await browser.command(
            "Runtime.evaluate",
            ["expression": .text(script), "awaitPromise": true, "returnByValue": true],
            as: Evaluation<Value>.self
        )
    }
}
