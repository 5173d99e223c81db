// One scene on one cell: open the page, wait, do its steps, make it still, capture.
import FarmCore
import Foundation

/// Captures scenes of one cell in one browser.
struct SceneCapture: Sendable {
    var browser: Browser
    var emulation: Emulation
    /// What a capture of the whole screen must measure.
    var screen: PixelSize
    var workTree: String
    /// Where the pages are that have no address of their own.
    var sites: PageSites
    /// What the page sees as the time when it is opened.
    var time: String
    /// What counts for scenes that do not say it.
    var isFullPage: Bool
    /// The limit of one scene.
    ///
    /// Its wait gets most of what opening the page has left of it, so that a page that is not ready
    /// is told from a page that hangs, also on a busy machine.
    var testSeconds: Double
    /// Whether what may go on drawing is looked at twice, at two moments that are apart.
    var looksTwice: Bool
    /// Whether no scene of this shard was captured in the browser; what earlier shards left in
    /// its caches is then forgotten.
    var isFirst: Bool

    private static let waitShare = 0.8
    /// A page may redirect itself while the script runs in it.
    private static let evaluationsMax = 4

    /// The scene's PNG.
    ///
    /// - Throws: ``SceneError``; ``WebDriverFailure`` where the browser may be the cause;
    ///   `TimeLimitExceeded` after `testSeconds`, with the browser in an unknown state.
    func picture(of scene: Scene) async throws -> ScenePicture {
        try await withTimeLimit(seconds: testSeconds) {
            let began = ContinuousClock.now
            let address = try sites.address(of: scene, in: workTree)
            try await prepare(for: scene, address)
            try await open(address, of: scene)
            let report = try await settle(scene, end: began + .seconds(testSeconds))
            return try await capture(report, scene)
        }
    }

    /// Makes the browser what a fresh one is, on the scene's cell.
    private func prepare(for scene: Scene, _ address: String) async throws {
        if isFirst { try await browser.forget() }
        try await browser.setInput(isIgnored: true)
        try await browser.emulate(emulation)
        try await browser.prepare(
            PagePreparation.text(
                time: time,
                localStorage: scene.localStorage
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

    /// Whether a page's file is there.
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
        // A status without a body comes as this error; the page's own report knows the status.
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
                isFullPage: scene.fullPage ?? isFullPage && scene.element == nil
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

    /// Runs a script in the page that becomes a value.
    private func ask<Value: Decodable & Sendable>(_ script: String) async throws -> Value {
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
        case .tooLarge: throw .pageTooLarge(size: report.reason ?? "")
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

    // MARK: capturing

    private struct Screenshot: Decodable { var data: String }

    /// How often what is masked may move between two looks at it.
    private static let looksMax = 4
    /// How far the two moments are apart; under those of things that blink once a second.
    private static let apart = Duration.milliseconds(700)

    private func capture(_ report: PageReport, _ scene: Scene) async throws -> ScenePicture {
        let (parameters, expected) = try screenshot(of: report, scene)
        func take() async throws -> String {
            try await browser.command(
                "Page.captureScreenshot",
                .object(parameters),
                as: Screenshot.self
            ).data
        }
        let (data, boxes) = try await masked(scene, report.masks?.boxes ?? [], take)
        guard let picture = Data(base64Encoded: data), let size = PictureHeader.size(of: picture)
        else { throw SceneError.notPicture }
        guard size == expected else {
            throw SceneError.wrongSize(expected: expected, actual: size)
        }
        if looksTwice, report.isActive == true, scene.animations == .finish {
            try await Task.sleep(for: Self.apart)
            try await compare(data, with: try await take(), report)
        }
        // Who says `fullPage: false`, or does something first, knows what the screen shows.
        let isMeant = scene.fullPage != nil || !scene.steps.isEmpty
        let below = ((isMeant ? nil : report.below) ?? 0) * emulation.scale
        let view = report.view ?? PageReport.View(x: 0, y: 0, scale: 1)
        return ScenePicture(
            png: picture,
            pixelsBelow: below > 0 && below < 1e9 ? Int(below.rounded()) : 0,
            thrown: report.thrown,
            dialog: report.dialog,
            masks: PageMasks.pixels(
                of: boxes,
                origin: report.box.map { ($0.x, $0.y) } ?? (view.x, view.y),
                scale: emulation.scale * (report.box == nil ? view.scale : 1),
                in: size
            ),
            note: report.note
        )
    }

    /// What the browser is asked for, and the pixels that it must give.
    private func screenshot(
        of report: PageReport,
        _ scene: Scene
    ) throws -> (parameters: [String: JSONValue], size: PixelSize) {
        // The browser's thorough compression takes longer than everything else of a capture
        // together (318 ms against 128 ms for an iPhone Xs) and saves some 45 % of the bytes.
        var parameters: [String: JSONValue] = ["format": "png", "optimizeForSpeed": true]
        guard let box = report.box else { return (parameters, screen) }
        let (width, height) = (box.width * emulation.scale, box.height * emulation.scale)
        let most = Double(FarmLimits.picturePixelsMax)
        // Each by itself, too: a page says of its elements what it likes.
        guard (0...most).contains(width), (0...most).contains(height), width * height <= most
        else {
            throw SceneError.elementTooLarge(
                selector: scene.element ?? "",
                size: String(format: "%.6g×%.6g", width, height)
            )
        }
        parameters["clip"] = [
            "x": .number(box.x), "y": .number(box.y), "width": .number(box.width),
            "height": .number(box.height), "scale": 1,
        ]
        parameters["captureBeyondViewport"] = .flag(box.isBeyond)
        return (
            parameters, PixelSize(width: Int(width.rounded()), height: Int(height.rounded()))
        )
    }

    /// A capture, and the boxes of what is masked in it: those before it and after it are the same.
    private func masked(
        _ scene: Scene,
        _ boxes: [PageReport.Box],
        _ take: () async throws -> String
    ) async throws -> (data: String, boxes: [PageReport.Box]) {
        guard !scene.mask.isEmpty else { return (try await take(), []) }
        var before = boxes
        for _ in 1...Self.looksMax {
            let data = try await take()
            let after: MaskReport = try await ask(PageMasks.text(for: scene.mask))
            if after.absent == nil, after.boxes == before { return (data, before) }
            before = after.boxes
        }
        throw SceneError.maskMoved(selectors: scene.mask)
    }

    private func compare(_ first: String, with second: String, _ report: PageReport) async throws {
        guard first != second else { return }
        let view = report.view ?? PageReport.View(x: 0, y: 0, scale: 1)
        let origin = report.box.map { ($0.x, $0.y) } ?? (view.x, view.y)
        let found: MotionReport = try await ask(
            PageMotion.text(
                first,
                second,
                origin: origin,
                scale: emulation.scale * (report.box == nil ? view.scale : 1)
            )
        )
        guard found.width > 0 else { return }
        throw SceneError.moves(
            size: PixelSize(width: found.width, height: found.height),
            at: "\(found.x),\(found.y)",
            element: found.element
        )
    }
}

/// What a scene became.
struct ScenePicture: Sendable {
    var png: Data
    /// How far the page goes on below the screen; 0 where the picture was not to show it.
    var pixelsBelow: Int
    /// What a script of the page threw and nothing caught.
    var thrown: String?
    /// The first dialog that a script of the page opened.
    var dialog: String?
    /// What is to be painted over before anything keeps the picture.
    var masks: [PixelBox]
    /// What a person should know of the picture.
    var note: String?
}
