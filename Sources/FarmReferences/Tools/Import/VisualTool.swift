// The reference folders of other tools for web pages, and the parts of their file names. The forms
// are those in the tools' sources, checked in public repositories:
//
//     backstop_data/bitmaps_reference/<id>_<label>_<n>_<selector>_<n>_<viewport>.png   BackstopJS
//     <folder>/__image_snapshots__/<test file>-<test>-<n>-snap.png                     jest-image-snapshot
//     .loki/reference/<target>_<configuration>_<kind>_<story>.png                      Loki
//     .lostpixel/baseline/<story id or page>[__[w<width>px|<browser>]].png             Lost Pixel
//     <test file>-snapshots/<name>-<project>-<platform>.png                            Playwright
//     .reg/expected/<folders>/<name>.png                                               reg-suit
import FarmCore

/// A tool for pictures of web pages; an import recognises its references by their folder.
package enum VisualTool: String, CaseIterable, Sendable {
    case backstop = "BackstopJS"
    case jestImageSnapshot = "jest-image-snapshot"
    case loki = "Loki"
    case lostPixel = "Lost Pixel"
    case playwright = "Playwright"
    case regSuit = "reg-suit"

    /// A reference picture of a tool, as read from its path.
    struct Picture: Equatable {
        var tool: VisualTool
        var suite: String
        var name: String
        /// The tool's words for browser, viewport or configuration, or none.
        var variant: [String] = []
        /// The part of the file's name that was not split: words joined by `_`, with the scene's
        /// name at the end.
        ///
        /// Empty if `suite` and `name` are exact.
        var text = ""
    }

    /// Whether snapfarm draws the tool's pages itself, so that snapfarm's scenes name the pictures.
    ///
    /// Playwright and jest go on running as the job's command, and name their pictures themselves.
    var isReplaced: Bool { self != .playwright && self != .jestImageSnapshot }

    /// Parses a path below the root of a repository; returns `nil` if the file is of no tool.
    static func picture(at path: String) -> Picture? {
        let parts = path.split(separator: "/").map(String.init)
        guard let file = parts.last, file.hasSuffix(".png"), file.utf8.count > 4 else { return nil }
        let folders = Array(parts.dropLast())
        let stem = String(file.dropLast(4))
        for (index, folder) in folders.enumerated() {
            let below = Array(folders[(index + 1)...])
            let next = below.first
            switch folder {
            case ".lostpixel" where next == "baseline": return lostPixel(stem)
            case ".loki" where next == "reference": return loki(stem)
            case ".reg" where next == "expected":
                return Picture(tool: .regSuit, suite: suite(below.dropFirst()), name: stem)
            case "bitmaps_reference": return backstop(stem)
            case "__image_snapshots__":
                return jest(stem, of: folders[..<index], below: below)
            default:
                guard folder.hasSuffix("-snapshots") else { continue }
                let test = String(folder.dropLast("-snapshots".count))
                guard test.contains(#/\.(spec|test)\.[cm]?[jt]sx?$/#) else { continue }
                return playwright(stem, test: folders[..<index] + [test], below: below)
            }
        }
        return nil
    }

    /// The name of the suite for pictures whose path does not contain one.
    static let pages = "pages"

    private static func suite(_ folders: some Sequence<String>) -> String {
        let joined = folders.joined(separator: "/")
        return joined.isEmpty ? pages : joined
    }

    /// Parses a file name of Lost Pixel such as `example-button--primary__[w1024px|chromium]`;
    /// before version 3 without `__`.
    private static func lostPixel(_ stem: String) -> Picture {
        var (rest, variant) = (Substring(stem), [String]())
        if let match = stem.firstMatch(of: #/^(.+?)(?:__)?\[([^\[\]]+)\]$/#) {
            rest = match.1
            variant = match.2.split(separator: "|").map(String.init)
        }
        guard let dashes = rest.firstRange(of: "--") else {
            return Picture(tool: .lostPixel, suite: pages, name: String(rest), variant: variant)
        }
        return Picture(
            tool: .lostPixel,
            suite: String(rest[..<dashes.lowerBound]),
            name: String(rest[dashes.upperBound...]),
            variant: variant
        )
    }

    /// Parses a file name of Loki such as `chrome_laptop_Button_with_text`.
    ///
    /// The border between kind and story is unknown.
    private static func loki(_ stem: String) -> Picture {
        let words = stem.split(separator: "_", maxSplits: 2).map(String.init)
        guard words.count == 3 else { return Picture(tool: .loki, suite: pages, name: stem) }
        return Picture(
            tool: .loki,
            suite: pages,
            name: words[2],
            variant: [words[1]],
            text: "\(words[1])_\(words[2])"
        )
    }

    /// Parses a file name of BackstopJS: `backstop_default_Homepage_0_document_1_tablet_v`.
    private static func backstop(_ stem: String) -> Picture {
        guard let match = stem.firstMatch(of: #/^(.+)_\d+_(.*)_\d+_(.+)$/#) else {
            return Picture(tool: .backstop, suite: pages, name: stem)
        }
        let name = match.2 == "document" ? match.1 : match.1 + "_" + match.2
        let standard = "backstop_default_"
        return Picture(
            tool: .backstop,
            suite: pages,
            name: String(name.hasPrefix(standard) ? name.dropFirst(standard.count) : name),
            variant: [String(match.3)],
            text: String(name)
        )
    }

    private static func jest(
        _ stem: String,
        of folders: ArraySlice<String>,
        below: [String]
    ) -> Picture? {
        guard !below.contains("__diff_output__"),
            let match = stem.firstMatch(of: #/^(.+?)-(test|spec)-([cm]?[jt]sx?)-/#)
        else { return nil }
        let test = "\(match.1).\(match.2).\(match.3)"
        return Picture(tool: .jestImageSnapshot, suite: suite(folders + [test]), name: stem)
    }

    /// Parses a file name of Playwright such as `home-page-chromium-linux`; `test` is the path of
    /// the test file.
    private static func playwright(
        _ stem: String,
        test: ArraySlice<String>,
        below: [String]
    ) -> Picture {
        // Playwright names a test file by its path below `testDir`.
        let first = test.firstIndex { ["tests", "test", "e2e"].contains($0) }.map { $0 + 1 }
        let suite = suite(test[(first ?? test.startIndex)...] + below)
        let project = #/^(.+?)-(Mobile-Chrome|Mobile-Safari|Google-Chrome|Microsoft-Edge|[^-]+)$/#
        guard let match = stem.firstMatch(of: #/^(.+)-(linux|darwin|win32)$/#),
            let parts = String(match.1).firstMatch(of: project)
        else { return Picture(tool: .playwright, suite: suite, name: stem) }
        return Picture(
            tool: .playwright,
            suite: suite,
            name: String(parts.1),
            variant: [String(parts.2)]
        )
    }
}
