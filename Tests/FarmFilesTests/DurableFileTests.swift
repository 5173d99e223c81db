import FarmCore
import FarmFiles
import FarmTesting
import Foundation
import Testing

@Suite("files that survive a power cut")
struct DurableFileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder("durable") }

    private func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test("a file is replaced whole, keeps who may read it, and leaves no other name")
    func replaced() throws {
        let path = try folder.write("notes", "old and longer")
        chmod(path, 0o640)
        try DurableFile.write(Data("new".utf8), to: path)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "new")
        #expect(mode(path) == 0o640)
        #expect(try names() == ["notes"])
    }

    @Test("a pipe or a device is written into and stays what it is, also where nothing reads it")
    func pipe() throws {
        let path = folder.file("pipe")
        #expect(mkfifo(path, 0o600) == 0)
        #expect(throws: FileFailure.self) { try DurableFile.write(Data("a".utf8), to: path) }
        let reader = open(path, O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        try DurableFile.write(Data("new".utf8), to: path)
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(read(reader, &bytes, bytes.count) == 3)
        #expect(String(decoding: bytes.prefix(3), as: UTF8.self) == "new")
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        // By a link: a mistake would replace the link, and no device of the machine.
        let device = folder.file("device")
        #expect(symlink("/dev/null", device) == 0)
        try DurableFile.write(Data("new".utf8), to: device)
        #expect(stat(device, &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
        #expect(try names() == ["device", "pipe"])
    }

    @Test("a secret is its owner's alone, also where others could read the file before")
    func secret() throws {
        let path = try folder.write("key", "old")
        chmod(path, 0o644)
        try DurableFile.write(Data("new".utf8), to: path, readers: .owner)
        #expect(mode(path) == 0o600)
        try DurableFile.write(Data("one".utf8), to: folder.file("other"), readers: .owner)
        #expect(mode(folder.file("other")) == 0o600)
    }

    @Test(
        "a folder that is gone, and a folder in the place of the file, are said and leave nothing"
    )
    func refused() throws {
        let gone = #expect(throws: FileFailure.self) {
            try DurableFile.write(Data(), to: folder.file("gone/notes"))
        }
        #expect(gone?.number == ENOENT)
        #expect(gone?.exit == .inputOutput)
        try FileManager.default.createDirectory(
            atPath: folder.file("taken/inner"),
            withIntermediateDirectories: true
        )
        let taken = #expect(throws: FileFailure.self) {
            try DurableFile.write(Data("x".utf8), to: folder.file("taken"))
        }
        #expect(taken?.operation == "rename")
        #expect(try names() == ["taken"])
    }

    @Test("a name that is taken is kept where both have the same bytes")
    func kept() throws {
        let path = try folder.write("blob", "same")
        let before =
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        let file = try DurableFile(prefix: folder.file("new."))
        try file.append(Data("same".utf8))
        try DurableFile.flush([file.path], below: folder.path)
        try file.settle(at: path, .kept)
        let after =
            try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
        #expect(before == after)
        #expect(try names() == ["blob"])
    }

    @Test("what is written in parts has its name only when it is given one")
    func parts() throws {
        let file = try DurableFile(prefix: folder.file("part."))
        try file.append(Data("one ".utf8))
        try file.append(Data("two".utf8))
        #expect(try names().map { $0.hasPrefix("part.") } == [true])
        try file.setMode(0o444)
        try file.flush()
        try file.settle(at: folder.file("whole"))
        try DurableFile.flushFolder(folder.path)
        #expect(try names() == ["whole"])
        #expect(try String(contentsOfFile: folder.file("whole"), encoding: .utf8) == "one two")
        #expect(mode(folder.file("whole")) == 0o444)
        let dropped = try DurableFile(prefix: folder.file("part."))
        dropped.discard()
        #expect(try names() == ["whole"])
    }
}
