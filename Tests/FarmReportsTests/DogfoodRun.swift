// A fixed run with pictures drawn by code: a small app with a few screens on two devices. The farm
// tests its own pages with it (`DogfoodPages`).
import FarmCore
import FarmReports
import Foundation

@testable import FarmImaging

/// A run of a shop's app: its cart has another button, one screen is new, one is gone.
struct DogfoodRun {
    private struct Screen {
        let suite: String
        let name: String
        let verdict: Verdict
        let words: String
    }

    private static let devices = [
        Device(name: "Phone", os: "18.5", width: 130, height: 260, scale: 1),
        Device(name: "Tablet", os: "18.5", width: 240, height: 320, scale: 1),
    ]
    private static let axes = [VariantAxis(name: "appearance", values: ["light", "dark"])]
    private static let screens = [
        Screen(suite: "CartTests", name: "testEmpty", verdict: .passed, words: ""),
        Screen(suite: "CartTests", name: "testFull", verdict: .changed, words: "colour changed"),
        Screen(suite: "LoginTests", name: "testLogin", verdict: .passed, words: ""),
        Screen(suite: "LoginTests", name: "testCode", verdict: .new, words: "no reference yet"),
        Screen(suite: "PayTests", name: "testReceipt", verdict: .missing, words: "not made"),
        Screen(suite: "PayTests", name: "test支払い完了", verdict: .passed, words: ""),
    ]
    private static let wanted =
        screens.map { "\($0.suite)/\($0.name)" } + [
            "PayTests/testCard", "PayTests/testCash", "Settings/testOverview",
        ]

    let cells = Matrix.cells(devices: devices, axes: axes, excluding: [])

    // MARK: pictures

    /// Draws a screen in its colours: a bar, some lines and a button.
    private func picture(_ cell: Cell, _ screen: Screen, isNew: Bool) -> Bitmap {
        let size = cell.pixels ?? PixelSize(width: 100, height: 100)
        let isDark = cell.value(of: "appearance") == "dark"
        let page: [UInt8] = isDark ? [24, 24, 27, 255] : [250, 250, 248, 255]
        let ink: [UInt8] = isDark ? [120, 120, 128, 255] : [190, 190, 196, 255]
        let button: [UInt8] = isNew ? [200, 60, 20, 255] : [30, 90, 200, 255]
        let lines = screen.name.utf8.reduce(0) { $0 + Int($1) } % 5 + 3
        var pixels: [UInt8] = []
        pixels.reserveCapacity(size.width * size.height * 4)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let isInside = x >= 12 && x < size.width - 12
                let line = (y - 50) / 18
                let isLine = y >= 50 && line < lines && (y - 50) % 18 < 8
                let isShort = line % 3 == 2 && x > size.width / 2
                if y < 32 {
                    pixels += ink
                } else if isInside, y > size.height - 52, y < size.height - 20 {
                    pixels += button
                } else if isInside, isLine, !isShort {
                    pixels += ink
                } else {
                    pixels += page
                }
            }
        }
        return Bitmap(size: size, pixels: pixels)
    }

    /// Returns every picture by its path beside the pages.
    func pictures() throws -> [(path: String, bytes: Data)] {
        var files: [(path: String, bytes: Data)] = []
        for cell in cells {
            for screen in Self.screens {
                let reference = picture(cell, screen, isNew: false)
                let capture = picture(cell, screen, isNew: screen.verdict == .changed)
                for (kind, path) in paths(cell, screen) {
                    let drawn =
                        switch kind {
                        case "reference": reference
                        case "diff": try DiffPicture.draw(reference: reference, capture: capture)
                        default: capture
                        }
                    files.append((path, Data(try PNGEncoder.encode(drawn))))
                }
                let current = screen.verdict == .missing ? reference : capture
                let name = file(cell, screen)
                files.append(
                    ("catalogue/pictures/\(name).png", Data(try PNGEncoder.encode(current)))
                )
                files.append(
                    (
                        "catalogue/thumbs/\(name).png",
                        Data(try PNGEncoder.encode(Thumbnail.scaled(current)))
                    )
                )
            }
        }
        return files
    }

    private func file(_ cell: Cell, _ screen: Screen) -> String {
        ObjectID(ofBlob: Data("\(cell.id)/\(screen.suite)/\(screen.name)".utf8)).hex
    }

    private func paths(_ cell: Cell, _ screen: Screen) -> [String: String] {
        let place = "FailureDiffs/screens/\(cell.id)/\(screen.suite)"
        var paths: [String: String] = [:]
        switch screen.verdict {
        case .changed:
            for kind in ["reference", "failed", "diff"] {
                paths[kind] = "\(place)/\(kind)_\(screen.name).png"
            }
        case .missing: paths["reference"] = "\(place)/reference_\(screen.name).png"
        case .new: paths["failed"] = "\(place)/failed_\(screen.name).png"
        default: break
        }
        if screen.verdict != .missing {
            paths["capture"] = "captures/\(cell.id)/\(screen.suite)/\(screen.name).png"
        }
        return paths
    }

    // MARK: the run

    var summary: RunSummary {
        let tests = tests
        var counts = VerdictCounts()
        var byCell: [String: VerdictCounts] = [:]
        for test in tests {
            counts.add(test.verdict)
            byCell[test.cell, default: VerdictCounts()].add(test.verdict)
        }
        var summary = RunSummary(
            run: RunFacts(
                id: "20260102-030405-shop",
                key: "ci:42",
                pipeline: "shop",
                mode: .verify,
                filtered: false,
                commit: "39b077247f91467bd8be0ca469e319bd44d95226",
                branch: "feature/new-button",
                pullRequest: "412",
                set: "e67543791969b492ba0cb1e8483bbe9396c13683",
                planDigest: "sha256:" + String(repeating: "e", count: 64),
                started: "2026-01-02T03:04:05.000Z",
                finished: "2026-01-02T03:05:17.480Z"
            ),
            state: .failed,
            exitCode: 1,
            counts: counts,
            comparisons: ComparisonCounts(),
            cells: cells.map { cell in
                CellSummary(
                    id: cell.id.text,
                    device: cell.device?.name ?? "",
                    os: cell.device?.os ?? "",
                    variant: Dictionary(cell.variant.map { ($0.axis, $0.value) }) { $1 },
                    complete: true,
                    counts: byCell[cell.id.text] ?? VerdictCounts()
                )
            },
            tests: tests,
            snapshots: snapshots,
            artifacts: [],
            problems: [
                Problem(
                    code: "worker-suspended",
                    message: "worker-2 was suspended: tests failed on it that pass elsewhere.",
                    remedy: "Look at its machine."
                )
            ]
        )
        summary.changes = RunChanges.of(summary)
        return summary
    }

    private var tests: [TestSummary] {
        let failing = TestSummary(
            job: "screens",
            cell: cells[0].id.text,
            test: "Shop/PayTests/testTotal",
            verdict: .failed,
            attempts: 2,
            seconds: 1.25,
            message: "XCTAssertEqual failed: (\"1,980\") is not equal to (\"1,890\")",
            output: "total: 1,980\nexpected: 1,890",
            worker: "worker-1",
            startedAt: 12
        )
        return
            (cells.flatMap { cell in
                Self.screens.enumerated().map { index, screen in
                    TestSummary(
                        job: "screens",
                        cell: cell.id.text,
                        test: "Shop/\(screen.suite)/\(screen.name)",
                        verdict: screen.verdict,
                        attempts: 1,
                        seconds: 0.25,
                        worker: "worker-\(index % 2 + 1)",
                        startedAt: Double(index)
                    )
                }
            } + [failing]).sorted { ($0.job, $0.cell, $0.test) < ($1.job, $1.cell, $1.test) }
    }

    private var snapshots: [SnapshotSummary] {
        cells.flatMap { cell in
            Self.screens.map { screen in
                let size = cell.pixels ?? PixelSize(width: 1, height: 1)
                let changed = screen.verdict == .changed
                let isMade = screen.verdict != .missing
                return SnapshotSummary(
                    id: "\(cell.id)/\(screen.suite)/\(screen.name)",
                    job: "screens",
                    cell: cell.id.text,
                    suite: screen.suite,
                    name: screen.name,
                    identifier: screen.name,
                    test: "Shop/\(screen.suite)/\(screen.name)",
                    verdict: screen.verdict,
                    // Equal in all cells, so that a screen is one change.
                    reference: screen.verdict == .new
                        ? "" : ObjectID(ofBlob: Data(screen.name.utf8)).hex,
                    capture: isMade ? Digest(of: Data(screen.name.utf8)).description : "",
                    width: isMade ? size.width : 0,
                    height: isMade ? size.height : 0,
                    differingPixels: changed ? (size.width - 24) * 31 : 0,
                    share: changed ? 31.0 / Double(size.height) : 0,
                    largestDelta: changed ? 180 : 0,
                    clusters: changed
                        ? [PixelBox(x: 12, y: size.height - 51, width: size.width - 24, height: 31)]
                        : [],
                    words: screen.words,
                    files: paths(cell, screen)
                )
            }
        }.sorted { $0.id < $1.id }
    }

    var catalogue: SetCatalogue {
        let pictures = cells.flatMap { cell in
            Self.screens.compactMap { screen -> SetCatalogue.Picture? in
                let id = try? SnapshotID(cell: cell.id, suite: screen.suite, name: screen.name)
                guard let id, let size = cell.pixels else { return nil }
                return SetCatalogue.Picture(
                    id: id,
                    job: JobName("screens"),
                    test: TestID("Shop/\(screen.suite)/\(screen.name)"),
                    file: file(cell, screen),
                    thumbnail: SetCatalogue.Thumbnail(
                        file: file(cell, screen),
                        size: Thumbnail.size(of: size),
                        pictureSize: size
                    )
                )
            }
        }
        return SetCatalogue(
            name: "shop",
            set: ObjectID(ofBlob: Data("shop".utf8)),
            entry: LogEntry(
                entry: ObjectID(ofBlob: Data("entry".utf8)),
                set: nil,
                visible: true,
                seconds: 1_767_323_045,
                title: "4 changed — CartTests — #412",
                trailers: ["Snapfarm-Recorder": "Dana"]
            ),
            cells: cells,
            pictures: pictures,
            screens: Self.wanted
        )
    }
}
