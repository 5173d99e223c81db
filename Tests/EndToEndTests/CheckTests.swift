// Tests of `snapfarm check` as people and the crash tests call it.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Checking a data folder", .serialized)
    struct CheckTests {
        @Test("a sound folder is counted, a lost and a damaged blob are named, none is told apart")
        func check() throws {
            let project = try Project(scenes: ["s"], devices: ["A"], units: 2)
            #expect(try project.run(["--mode", "record"]).status == 0)
            let program = project.program()
            let sound = try program.run(["check"])
            #expect(sound.status == 0, "\(sound.output)")
            #expect(sound.output.contains("is sound: 1 runs, 3 test cases"), "\(sound.output)")
            let json = try program.run(["check", "--deep", "--json"])
            let document = try JSONSerialization.jsonObject(with: Data(json.output.utf8))
            let fields = try #require(document as? [String: Any])
            #expect(fields["schemaVersion"] as? Int == 1)
            #expect(fields["clean"] as? Bool == true)
            #expect(fields["deep"] as? Bool == true)

            let blobs = project.folder.path + "/.snapfarm/blobs"
            let names = try FileManager.default.subpathsOfDirectory(atPath: blobs)
            let named = try #require(names.filter { $0.count > 60 }.sorted().first)
            let file = blobs + "/" + named
            let bytes = try #require(FileManager.default.contents(atPath: file))
            try FileManager.default.removeItem(atPath: file)
            try Data(repeating: 7, count: bytes.count).write(to: URL(fileURLWithPath: file))
            #expect(try program.run(["check"]).status == 0)
            let deep = try program.run(["check", "--deep"])
            #expect(deep.status == 1)
            #expect(deep.output.contains("blob-damaged"), "\(deep.output)")
            try FileManager.default.removeItem(atPath: file)
            let lost = try program.run(["check"])
            #expect(lost.status == 1)
            #expect(lost.output.contains("blob-missing"), "\(lost.output)")
            #expect(try program.run(["check", "--data", "nowhere"]).status == 65)
        }
    }
}
