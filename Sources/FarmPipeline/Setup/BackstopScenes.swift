// Proposes a job for BackstopJS: the scenarios of `backstop.json` become scenes, its viewports
// become devices. Configurations that are programs (`backstop.config.js`) are not read.
import FarmCore
import Foundation

/// The viewports and scenarios of a `backstop.json`.
struct BackstopScenes: Decodable {
    struct Viewport: Decodable {
        var label: String?
        /// The viewport's label in older configurations.
        var name: String?
        var width: Int
        var height: Int
    }
    struct Scenario: Decodable {
        var label: String
        var url: String
        var selectors: [String]?

        /// The selectors of the captured elements; without any, `document`, the whole page.
        var shown: [String] {
            guard let selectors, !selectors.isEmpty else { return ["document"] }
            return selectors
        }
    }

    var viewports: [Viewport]
    var scenarios: [Scenario]

    /// Reads a configuration; returns `nil` if the text is not JSON of the expected form.
    init?(_ text: String) {
        guard let file = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)),
            !file.scenarios.isEmpty, file.scenarios.count <= FarmLimits.setupScenesMax
        else { return nil }
        self = file
    }

    /// Returns `scenes.yaml` with a scene for each selector of each scenario.
    ///
    /// The names are those of BackstopJS's pictures, so that `refs import` finds them.
    ///
    /// An address without a scheme is a file, relative to the folder of `backstop.json`.
    func scenes(below folder: String) -> String {
        let lines = scenarios.flatMap { scenario in
            scenario.shown.map { selector in
                let isPage = ["document", "viewport", "body"].contains(selector)
                let name = selector == "document" ? scenario.label : "\(scenario.label) \(selector)"
                let element = isPage ? "" : ", element: \(YAMLText.scalar(selector))"
                let isFile = !scenario.url.contains("://")
                let page = isFile && !folder.isEmpty ? "\(folder)/\(scenario.url)" : scenario.url
                return "  - {suite: Pages, name: \(YAMLText.scalar(Self.plain(name))), "
                    + "\(isFile ? "file" : "url"): \(YAMLText.scalar(page))\(element)}"
            }
        }
        return
            "# The scenarios of backstop.json. All keys are in snapfarm's docs/keys.md.\nscenes:\n"
            + lines.joined(separator: "\n") + "\n"
    }

    var devices: [PipelineText.Device] {
        viewports.map { viewport in
            PipelineText.Device(
                name: Self.plain(viewport.label ?? viewport.name ?? "\(viewport.width)"),
                note: "from backstop.json",
                isKnown: true,
                points: PixelSize(width: viewport.width, height: viewport.height)
            )
        }
    }

    /// Returns the text as a valid name for a picture or a device.
    private static func plain(_ text: String) -> String {
        let kept = text.map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }
        return String(String(kept).prefix(80))
    }
}
