import FarmArtifacts
import FarmTesting
import Foundation
import Testing

@Suite("Files that need not survive a power cut")
struct PassingFileTests {
    @Test("a file is made, and one that is there gets the new bytes and no others")
    func write() throws {
        let folder = try TemporaryFolder("passing")
        let path = folder.file("view")
        try UnsyncedFile.write(Data("a long text".utf8), to: path)
        try UnsyncedFile.write(Data("short".utf8), to: path)
        #expect(FileManager.default.contents(atPath: path) == Data("short".utf8))
        try UnsyncedFile.write(Data(), to: path)
        #expect(FileManager.default.contents(atPath: path) == Data())
    }

    @Test("what cannot be written says where and why")
    func refused() throws {
        let folder = try TemporaryFolder("passing")
        let path = folder.file("no/such/folder")
        #expect(throws: ArtifactError.self) { try UnsyncedFile.write(Data(), to: path) }
        let error = #expect(throws: ArtifactError.self) {
            try UnsyncedFile.write(Data("x".utf8), to: folder.path)
        }
        #expect(error?.message.contains(folder.path) == true)
    }
}
