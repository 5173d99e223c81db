// A project under test: a pipeline and a test program of a few lines of shell whose pictures are
// given files. It is small enough to read in a test, and real enough to hang, flood its output and
// die.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

/// A temporary project with a pipeline.
///
/// At the end of the test, Git must find no fault in its store.
final class Project {
    let folder: TemporaryFolder
    /// Whether the test breaks the store and leaves it broken.
    var staysBroken = false

    /// Writes a project for these devices.
    ///
    /// Each scene's picture is `pictures/<device>/<scene>.png` or `pictures/<scene>.png`.
    init(
        scenes: [String] = ["one", "two"],
        devices: [String] = ["A", "B"],
        units: Int = 3,
        extra: String = "",
        testLimit: String = "30s"
    ) throws {
        folder = try TemporaryFolder("project")
        try folder.write("scenes", scenes.joined(separator: "\n") + "\n")
        try folder.write("units", (0..<units).map { "unit/\($0)" }.joined(separator: "\n") + "\n")
        for (index, scene) in scenes.enumerated() {
            let shade = UInt8(truncatingIfNeeded: 40 * index + 10)
            try folder.write("pictures/\(scene).png", Self.png(shade: shade))
        }
        try folder.write("test.sh", Self.program)
        try folder.write(
            "app.yaml",
            Self.pipeline(devices: devices, extra: extra, testLimit: testLimit)
        )
    }

    deinit {
        guard !staysBroken, exists("store.git") else { return }
        let isSound = (try? storeIsSound()) ?? false
        if !isSound { Issue.record("the test leaves a store in which Git finds something wrong") }
    }

    static func pipeline(
        devices: [String],
        extra: String = "",
        testLimit: String = "30s"
    ) -> String {
        """
        version: 1
        name: app
        references: {store: store.git, pin: snapfarm.refs}
        devices:
        \(devices.map { "  - {name: \($0), width: 8, height: 8, scale: 1}" }.joined(separator: "\n"))
        jobs:
          unit_test:
            kind: unit
            driver: command
            discover: cat units
            run: sh test.sh {tests}
            timeout: {test: \(testLimit), shard: 1m}
          snapshot_test:
            kind: snapshot
            driver: command
            discover: cat scenes
            run: sh test.sh {tests}
            timeout: {test: \(testLimit), shard: 1m}
        \(extra)
        """
    }

    /// The test program; `act/<scene>` may hold shell commands that run instead of the capture.
    private static let program = """
        set -eu
        case $1 in
        unit/*) [ ! -e "act-unit" ] || . ./act-unit; exit 0 ;;
        esac
        if [ -e "act/$1" ]; then . "./act/$1"; exit; fi
        mkdir -p "$SNAPFARM_CAPTURE_DIR/Suite"
        picture=pictures/$SNAPFARM_DEVICE/$1.png
        [ -e "$picture" ] || picture=pictures/$1.png
        cp "$picture" "$SNAPFARM_CAPTURE_DIR/Suite/$1.png"
        elements=pictures/$1.elements.json
        [ ! -e "$elements" ] || cp "$elements" "$SNAPFARM_CAPTURE_DIR/Suite/"
        """

    func run(_ arguments: [String] = [], environment: [String: String] = [:]) throws
        -> ProcessEnding
    {
        try program(environment).run(["run", "app.yaml"] + arguments)
    }

    func program(_ environment: [String: String] = [:]) -> Program {
        Program(folder: folder.path, environment: environment)
    }

    func summary(_ output: String = "snapfarm-out") throws -> RunSummary {
        let bytes = try Data(
            contentsOf: URL(fileURLWithPath: folder.file(output + "/summary.json"))
        )
        return try SummaryJSON.decode(bytes)
    }

    func text(_ name: String) -> String {
        (try? String(contentsOfFile: folder.file(name), encoding: .utf8)) ?? ""
    }

    func exists(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: folder.file(name))
    }

    /// Returns a grey 8×8 picture with one (white) pixel in its corner.
    ///
    /// It is written without our own code: stored deflate blocks need no compressor.
    static func png(
        shade: UInt8,
        width: Int = 8,
        height: Int = 8,
        corner: UInt8 = 255
    ) -> Data {
        var rows: [UInt8] = []
        for row in 0..<height {
            rows.append(0)
            for column in 0..<width {
                rows.append(row == 0 && column == 0 ? corner : shade)
            }
        }
        return png(rows: rows, width: width, height: height)
    }

    /// Returns a square picture that cannot be compressed; at most 255 pixels wide.
    static func png(noise: inout SeededGenerator, side: Int) -> Data {
        var rows: [UInt8] = []
        for _ in 0..<side {
            rows.append(0)
            for _ in 0..<side { rows.append(.random(in: 0...255, using: &noise)) }
        }
        return png(rows: rows, width: side, height: side)
    }

    /// Returns a picture of grey rows, each preceded by its filter type; at most 65,535 bytes.
    private static func png(rows: [UInt8], width: Int, height: Int) -> Data {
        let length = UInt16(rows.count)
        var stream: [UInt8] = [0x78, 0x01, 1]
        stream += [UInt8(length & 255), UInt8(length >> 8)]
        stream += [UInt8(~length & 255), UInt8(~length >> 8)] + rows
        stream += bigEndian(adler(rows))
        var file: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        let header = bigEndian(UInt32(width)) + bigEndian(UInt32(height)) + [8, 0, 0, 0, 0]
        file += chunk("IHDR", header) + chunk("IDAT", stream) + chunk("IEND", [])
        return Data(file)
    }

    /// Returns a header that claims a huge picture, and no picture.
    static func bomb() -> Data {
        let header = bigEndian(60_000) + bigEndian(60_000) + [8, 6, 0, 0, 0]
        let start: [UInt8] = [137, 80, 78, 71, 13, 10, 26, 10]
        return Data(start + chunk("IHDR", header) + chunk("IDAT", [0x78, 1]) + chunk("IEND", []))
    }

    private static func chunk(_ name: String, _ body: [UInt8]) -> [UInt8] {
        let named = Array(name.utf8) + body
        return bigEndian(UInt32(body.count)) + named + bigEndian(crc(named))
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func crc(_ bytes: [UInt8]) -> UInt32 {
        var sum: UInt32 = 0xFFFF_FFFF
        for byte in bytes {
            sum ^= UInt32(byte)
            for _ in 0..<8 { sum = sum & 1 == 1 ? (sum >> 1) ^ 0xEDB8_8320 : sum >> 1 }
        }
        return ~sum
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var low: UInt32 = 1
        var high: UInt32 = 0
        for byte in bytes {
            low = (low + UInt32(byte)) % 65_521
            high = (high + low) % 65_521
        }
        return high << 16 | low
    }
}

extension RunSummary {
    /// A copy without the values that differ in every run.
    var timeless: RunSummary {
        var summary = self
        summary.run.id = ""
        summary.run.started = ""
        summary.run.finished = ""
        summary.run.startedBy = nil
        for index in summary.tests.indices {
            summary.tests[index].seconds = 0
            summary.tests[index].startedAt = 0
            summary.tests[index].worker = ""
            // A failure on an unknown worker needs another attempt on a second worker.
            summary.tests[index].attempts = 1
            summary.tests[index].history = nil
        }
        summary.starts = nil
        // The manifest in the zip contains the run's id.
        summary.artifacts = []
        return summary
    }
}
