// Takes the capture of a steady page: once, or until nothing masked moves, and a second time if the
// page may go on drawing.
import FarmCore
import Foundation

extension SceneCapture {
    private struct Screenshot: Decodable { var data: String }

    /// The most captures of a page whose masked elements move.
    private static let looksMax = 4
    /// The time between two captures; content that blinks once a second differs after it.
    private static let apart = Duration.milliseconds(700)

    func capture(_ report: PageReport, _ scene: Scene) async throws -> ScenePicture {
        let (parameters, expected) = try screenshot(of: report, scene)
        func take() async throws -> String {
            try await browser.command(
                "Page.captureScreenshot",
                .object(parameters),
                as: Screenshot.self
            ).data
        }
        let view = report.view ?? PageReport.View(x: 0, y: 0, scale: 1)
        let (data, masks) = try await masked(scene, report.masks?.boxes ?? [], take)
        guard let picture = Data(base64Encoded: data), let size = PictureHeader.size(of: picture)
        else { throw SceneError.notPicture }
        guard size == expected else {
            throw SceneError.wrongSize(expected: expected, actual: size)
        }
        if looksTwice, report.isActive == true, scene.animations == .finish {
            try await Task.sleep(for: Self.apart)
            try await compare(data, with: try await take(), report)
        }
        let origin = report.box.map { ($0.x, $0.y) } ?? (view.x, view.y)
        let scale = emulation.scale * (report.box == nil ? view.scale : 1)
        let elements = try await self.elements(
            PageElements.text(origin: origin, scale: scale, size: size, masks: masks)
        )
        let (texts, found) = try await self.texts(of: scene)
        func pixels(of boxes: [PageReport.Box]) -> [PixelBox] {
            PageMasks.pixels(of: boxes, origin: origin, scale: scale, in: size)
        }
        // `fullPage: false`, or steps, mean that the screen is wanted.
        let isMeant = scene.fullPage != nil || !scene.steps.isEmpty
        let below = (report.cut ?? (isMeant ? nil : report.below) ?? 0) * emulation.scale
        return ScenePicture(
            png: picture,
            pixelsBelow: below > 0 && below < 1e9 ? Int(below.rounded()) : 0,
            thrown: report.thrown,
            masks: pixels(of: masks),
            note: report.note(scale: emulation.scale),
            elements: elements,
            texts: texts,
            found: found.mapValues(pixels)
        )
    }

    /// Returns the element tree of the page as JSON, or `nil` if the job keeps none or the page does
    /// not answer.
    private func elements(_ script: String) async throws -> String? {
        guard keepsElements else { return nil }
        do {
            return try await ask(script)
        } catch is SceneError {
            return nil
        }
    }

    /// Returns the parameters of the browser's capture, and the size in pixels that the capture
    /// must have.
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
        // Each side by itself, too: a page can report any size of its elements.
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

    /// Takes captures until the masked boxes after one equal the boxes before it.
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

    /// Throws an error that names the region and the element if two captures differ.
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

/// The capture of a scene, and facts about its page.
struct ScenePicture: Sendable {
    var png: Data
    /// The height of the page below the picture, in pixels, or 0 if there is none or the scene
    /// wants only the screen.
    var pixelsBelow: Int
    /// The first error of the page's scripts that nothing caught, or `nil` if there is none.
    var thrown: String?
    /// The boxes that the worker paints over before anything keeps the picture.
    var masks: [PixelBox]
    /// A note for a person who looks at the picture, or `nil` if there is none.
    var note: String?
    /// The element tree of the page as JSON, or `nil` if there is none.
    var elements: String?
    /// The texts about the page, by the endings of their names.
    var texts: [String: String]
    /// The boxes of the elements that each line of the findings names.
    var found: [String: [PixelBox]]
    /// The files that the page read, or `nil` if they are not recorded.
    var inputs: RecordedInputs?
}
