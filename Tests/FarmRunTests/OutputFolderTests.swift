import FarmArtifacts
import FarmCore
import FarmReview
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("The output of a run")
struct OutputFolderTests {
    private static func written(
        _ bench: RunBench,
        _ judged: JudgedRun,
        of names: [String] = ["one"]
    ) async throws -> RunSummary {
        try await OutputFolder(path: bench.folder.file("out"), sources: bench.sources(of: names))
            .write(RunOutcome(judged: judged, ending: .judged))
    }

    @Test("every path that the summary names is there, and each picture lies where its id says")
    func paths() async throws {
        let bench = try RunBench()
        let judged = try bench.judged(changed: ["one": "1"], same: ["two": "2"], new: ["four": "4"])
        let summary = try await Self.written(bench, judged)
        let files = Dictionary(uniqueKeysWithValues: summary.snapshots.map { ($0.name, $0.files) })
        #expect(
            files["one"] == [
                "capture": "FailureDiffs/snap/A/S/failed_one.png",
                "failed": "FailureDiffs/snap/A/S/failed_one.png",
                "reference": "FailureDiffs/snap/A/S/reference_one.png",
            ]
        )
        #expect(files["two"] == ["capture": "captures/A/S/two.png"])
        #expect(files["four"]?["failed"] == "FailureDiffs/snap/A/S/failed_four.png")
        let named =
            summary.snapshots.flatMap(\.files.values) + [
                "summary.json", "junit.xml", "report.md", "catalogue.md", "timeline.json",
                "report/index.html", "FailureDiffs.zip", "FailureDiffs/manifest.json",
            ]
        for path in named {
            #expect(FileManager.default.fileExists(atPath: bench.folder.file("out/" + path)))
        }
        let one = bench.folder.file("out/FailureDiffs/snap/A/S/reference_one.png")
        #expect(FileManager.default.contents(atPath: one) == Data("old one".utf8))
    }

    @Test("each picture's bytes are in the folder once, and in the zip once")
    func once() async throws {
        let bench = try RunBench()
        let names = ["one", "two", "three"]
        let judged = try bench.judged(
            changed: ["one": "equal", "two": "equal", "three": "old two"],
            same: ["five": "5", "six": "5", "seven": "old one"],
            new: ["four": "old one"]
        )
        let summary = try await Self.written(bench, judged, of: names)
        let out = bench.folder.file("out")
        let files = try FileManager.default.subpathsOfDirectory(atPath: out)
            .filter { $0.hasSuffix(".png") }
        var places: [Data: Set<Int>] = [:]
        for file in files {
            let facts = try FileManager.default.attributesOfItem(atPath: "\(out)/\(file)")
            let bytes = try Data(contentsOf: URL(fileURLWithPath: "\(out)/\(file)"))
            places[bytes, default: []].insert(try #require(facts[.systemFileNumber] as? Int))
        }
        #expect(
            Set(places.keys.map { String(decoding: $0, as: UTF8.self) })
                == ["equal", "old one", "old two", "old three", "5"]
        )
        #expect(places.values.allSatisfy { $0.count == 1 })
        let zip = try RunViews(judged, evidence: nil, of: bench.sources(of: names), in: nil).zip
        #expect(
            zip.archive.entries.map(\.path).filter { $0.hasSuffix(".png") } == [
                "snap/A/S/failed_four.png", "snap/A/S/failed_one.png", "snap/A/S/failed_three.png",
                "snap/A/S/reference_three.png",
            ]
        )
        let named = Dictionary(uniqueKeysWithValues: summary.snapshots.map { ($0.name, $0.files) })
        #expect(named["two"]?["failed"] == "FailureDiffs/snap/A/S/failed_one.png")
        #expect(named["two"]?["capture"] == named["two"]?["failed"])
        #expect(named["one"]?["reference"] == "FailureDiffs/snap/A/S/failed_four.png")
        #expect(named["seven"] == ["capture": "captures/A/S/seven.png"])
    }

    @Test("what a coordinator offers of a run is the zip that an output folder holds")
    func sameZip() async throws {
        let bench = try RunBench()
        let judged = try bench.judged(changed: ["one": "1"], same: ["two": "2"])
        let summary = try await Self.written(bench, judged)
        let zip = try Data(
            contentsOf: URL(fileURLWithPath: bench.folder.file("out/FailureDiffs.zip"))
        )
        let served = try RunViews(judged, evidence: nil, of: bench.sources(), in: nil)
        var bytes = Data()
        try served.zip.archive.write(from: bench.blobs) { chunk throws(ArtifactError) in
            bytes.append(contentsOf: chunk)
        }
        #expect(bytes == zip)
        #expect(served.summary(zip: Digest(of: zip)) == summary)
    }

    @Test("the manifest in the zip reads back, and names what differs with its digest")
    func manifest() async throws {
        let bench = try RunBench()
        let judged = try bench.judged(changed: ["one": "1"], same: ["two": "2"])
        _ = try await Self.written(bench, judged)
        let run = try ReviewedRun(
            from: bench.folder.file("out"),
            origin: "out",
            scratch: bench.folder.path
        )
        #expect(run.manifest.run.id == "r1")
        let pictures = try run.manifest.pictures(origin: "out")
        let id = try SnapshotID(cell: RunBench.cell.id, suite: "S", name: "one")
        #expect(pictures.keys.map(\.text) == ["A/S/one"])
        let entry = try #require(pictures[id]?.entry)
        #expect(try run.bytes(of: id, entry) == Data("1".utf8))
    }

    @Test("a second run into the folder removes what the first wrote, and nobody else's files")
    func again() async throws {
        let bench = try RunBench()
        _ = try await Self.written(bench, try bench.judged(changed: ["one": "1"]))
        try bench.folder.write("out/notes.txt", "mine")
        _ = try await Self.written(bench, try bench.judged(same: ["two": "2"]))
        let files = FileManager.default
        #expect(!files.fileExists(atPath: bench.folder.file("out/captures/A/S/one.png")))
        #expect(files.fileExists(atPath: bench.folder.file("out/captures/A/S/two.png")))
        #expect(files.fileExists(atPath: bench.folder.file("out/notes.txt")))
    }

    @Test("each of many references lies beside its failed picture", arguments: [49, 50, 60])
    func manyReferences(count: Int) throws {
        let bench = try RunBench()
        let names = (0..<count).map { "picture\($0)" }
        let judged = try bench.judged(changed: Dictionary(names.map { ($0, $0) }) { $1 })
        let out = try bench.outFolder()
        let views = try RunViews(judged, evidence: nil, of: bench.sources(of: names), in: out)
        for name in names {
            let path = "\(out)/FailureDiffs/snap/A/S/reference_\(name).png"
            #expect(FileManager.default.contents(atPath: path) == Data("old \(name)".utf8))
        }
        #expect(views.zip.archive.entries.count == 2 * count + 3)
        #expect(try bench.leftovers() == [])
    }

    @Test("captures that only the store has, because they equal their references, are all there")
    func onlyInStore() throws {
        let bench = try RunBench()
        let names = (0..<60).map { "picture\($0)" }
        let judged = try bench.judged(same: Dictionary(names.map { ($0, $0) }) { $1 })
        for name in names {
            let blob = bench.blobs.path(of: Digest(of: Data(name.utf8)))
            try FileManager.default.removeItem(atPath: blob)
        }
        let usual = bench.sources()
        let sources = OutputSources(
            blobs: usual.blobs,
            policies: usual.policies,
            pin: usual.pin,
            reference: { object in
                names.map { Data($0.utf8) }.first { ObjectID(ofBlob: $0) == object }
            }
        )
        let out = try bench.outFolder()
        _ = try RunViews(judged, evidence: nil, of: sources, in: out)
        for name in names {
            let bytes = FileManager.default.contents(atPath: "\(out)/captures/A/S/\(name).png")
            #expect(bytes == Data(name.utf8))
        }
        #expect(try bench.leftovers() == [])
    }
}

extension RunBench {
    fileprivate func outFolder() throws -> String {
        let path = folder.file("out")
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Returns the files that writers of blobs left behind.
    fileprivate func leftovers() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: blobs.folder + "/tmp")
    }
}
