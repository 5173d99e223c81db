// One scene on one cell: open the page, wait, make it still, capture.
import FarmCore
import Foundation

/// Captures scenes of one cell in one browser.
struct SceneCapture: Sendable {
    var browser: Browser
    var emulation: Emulation
    /// What a capture of the whole screen must measure.
    var screen: PixelSize
    var workTree: String
    /// The limit of one scene.
    ///
    /// Its wait gets most of what opening the page has left of it, so that a page that is not ready
    /// is told from a page that hangs, also on a busy machine.
    var testSeconds: Double
    /// Whether no scene of this shard was captured in the browser; what earlier shards left in
    /// its caches is then forgotten.
    var isFirst: Bool

    private static let waitShare = 0.8
    /// A page may redirect itself while the script runs in it.
    private static let evaluationsMax = 4

    /// The bytes of the scene's PNG.
    ///
    /// - Throws: ``SceneError``; ``WebDriverFailure`` where the browser is the cause;
    ///   `TimeLimitExceeded` after `testSeconds`, with the browser in an unknown state.
    func picture(of scene: Scene) async throws -> Data {
        try await withTimeLimit(seconds: testSeconds) {
            let began = ContinuousClock.now
            let address = try pageAddress(of: scene)
            do {
                if isFirst { try await browser.forget() }
                try await browser.emulate(emulation)
                try await open(address)
                let left = testSeconds - (.now - began) / .seconds(1)
                let box = try await settle(
                    scene,
                    address,
                    waitSeconds: max(0, left) * Self.waitShare
                )
                let picture = try await capture(box, scene)
                try await leave(address)
                return picture
            } catch let failure as WebDriverFailure where !failure.meansDeadBrowser {
                throw SceneError.pageError(address: address, reason: failure.message)
            }
        }
    }

    private func pageAddress(of scene: Scene) throws -> String {
        switch scene.page {
        case .url(let address): return address
        case .file(let path, let suffix):
            guard Self.isPage(path, in: workTree) else {
                throw SceneError.pageNotFound(address: path, status: nil)
            }
            return URL(fileURLWithPath: workTree + "/" + path).absoluteString + suffix
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

    private struct Navigation: Decodable { var errorText: String? }

    private func open(_ address: String) async throws {
        let result = try await browser.command(
            "Page.navigate",
            ["url": .text(address)],
            as: Navigation.self
        )
        guard let error = result.errorText, !error.isEmpty else { return }
        if error == "net::ERR_FILE_NOT_FOUND" {
            throw SceneError.pageNotFound(address: address, status: nil)
        }
        // A status without a body comes as this error; the page's own report knows the status.
        guard error == "net::ERR_HTTP_RESPONSE_CODE_FAILURE" else {
            throw SceneError.pageError(address: address, reason: error)
        }
    }

    // MARK: settling

    private struct Evaluation: Decodable {
        struct Result: Decodable { var value: PageReport? }
        struct Exception: Decodable {
            struct Thrown: Decodable { var description: String? }
            var text: String
            var exception: Thrown?
        }
        var result: Result
        var exceptionDetails: Exception?
    }

    /// Returns the element's box where the scene has an element.
    private func settle(
        _ scene: Scene,
        _ address: String,
        waitSeconds: Double
    ) async throws -> PageReport.Box? {
        let script = PageScript.text(
            for: scene,
            waitSeconds: waitSeconds,
            scale: emulation.scale
        )
        let evaluation = try await evaluate(script)
        if let exception = evaluation.exceptionDetails {
            let reason = exception.exception?.description ?? exception.text
            throw SceneError.pageError(
                address: address,
                reason: String(reason.prefix { $0 != "\n" }.prefix(300))
            )
        }
        guard let report = evaluation.result.value else {
            throw SceneError.pageError(address: address, reason: "the page gave no report")
        }
        switch report.state {
        case .ready: return report.box
        case .refused where [404, 410].contains(report.status):
            throw SceneError.pageNotFound(address: address, status: report.status)
        case .refused:
            throw SceneError.pageError(address: address, reason: "status \(report.status)")
        case .errorPage where [404, 410].contains(report.status):
            throw SceneError.pageNotFound(address: address, status: report.status)
        case .errorPage:
            throw SceneError.pageError(
                address: address,
                reason: "the browser showed an error (status \(report.status))"
            )
        case .waiting:
            throw SceneError.waitTimedOut(condition: scene.waitText, seconds: waitSeconds)
        case .failed:
            throw SceneError.pageError(address: address, reason: report.reason ?? "unknown")
        case .noElement: throw SceneError.elementMissing(selector: scene.element ?? "")
        }
    }

    private func evaluate(_ script: String) async throws -> Evaluation {
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

    private func evaluateOnce(_ script: String) async throws -> Evaluation {
        try await browser.command(
            "Runtime.evaluate",
            ["expression": .text(script), "awaitPromise": true, "returnByValue": true],
            as: Evaluation.self
        )
    }

    // MARK: capturing

    private struct Screenshot: Decodable { var data: String }

    private func capture(_ box: PageReport.Box?, _ scene: Scene) async throws -> Data {
        // The browser's thorough compression takes longer than everything else of a capture
        // together (318 ms against 128 ms for an iPhone Xs) and saves some 45 % of the bytes.
        var parameters: [String: JSONValue] = ["format": "png", "optimizeForSpeed": true]
        var expected = screen
        if let box {
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
            expected = PixelSize(
                width: Int(width.rounded()),
                height: Int(height.rounded())
            )
        }
        let screenshot = try await browser.command(
            "Page.captureScreenshot",
            .object(parameters),
            as: Screenshot.self
        )
        guard let picture = Data(base64Encoded: screenshot.data),
            let size = PictureHeader.size(of: picture)
        else { throw SceneError.notPicture }
        guard size == expected else {
            throw SceneError.wrongSize(expected: expected, actual: size)
        }
        return picture
    }

    /// Removes what the page stored, so that scenes do not depend on their order.
    private func leave(_ address: String) async throws {
        guard let url = URL(string: address), let scheme = url.scheme else { return }
        let port = url.port.map { ":\($0)" } ?? ""
        let origin = "\(scheme)://" + (url.host.map { $0 + port } ?? "")
        _ = try await browser.command(
            "Storage.clearDataForOrigin",
            ["origin": .text(origin), "storageTypes": "all"],
            as: AnyAnswer.self
        )
    }
}

extension Scene {
    /// The scene's condition, for messages.
    fileprivate var waitText: String {
        switch wait {
        case nil: "nothing to wait for"
        case .selector(let selector): "no element \"\(selector)\""
        case .function(let source): "not true: \(source.prefix(200))"
        case .milliseconds(let time): "a wait of \(time) ms"
        }
    }
}
