// Tests that each picture's thumbnail is made once, however often it is requested, and never
// replaces the picture.
import FarmArtifacts
import FarmCore
import FarmTesting
import Foundation
import Synchronization
import Testing

@Suite("kept thumbnails")
struct ThumbnailsTests {
    private let folder: TemporaryFolder
    /// The end of every PNG: the store recognizes thumbnails by these bytes.
    private static let ending = Data([0x49, 0x45, 0x4E, 0x44, 0xAE, 0x42, 0x60, 0x82])

    init() throws { folder = try TemporaryFolder("thumbnails") }

    private final class Maker: Sendable {
        let made = Mutex<[Data]>([])
        func make(_ picture: Data) throws -> Data {
            made.withLock { $0.append(picture) }
            if picture.isEmpty { throw CocoaError(.fileReadCorruptFile) }
            return Data("small ".utf8) + picture + ThumbnailsTests.ending
        }
        var count: Int { made.withLock { $0.count } }
    }

    private func thumbnails(_ maker: Maker, bytesMax: Int = 1 << 20) throws -> Thumbnails {
        try Thumbnails(folder: folder.path, bytesMax: bytesMax) { try maker.make($0) }
    }

    private var files: [String] { System.files(in: folder.path) }

    @Test("one thumbnail is made for a picture, however many ask at once")
    func once() async throws {
        let maker = Maker()
        let thumbnails = try thumbnails(maker)
        let picture = Data("picture".utf8)
        let digest = Digest(of: picture)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for _ in 0..<16 {
                group.addTask { try thumbnails.png(of: digest) { picture } }
            }
            for try await made in group {
                #expect(made.starts(with: Data("small picture".utf8)))
            }
        }
        #expect(maker.count == 1)
        #expect(files == ["1/\(digest.hex.prefix(2))/\(digest.hex).png"])
        // Another process finds the thumbnail and does not read the picture.
        let other = Maker()
        _ = try self.thumbnails(other).png(of: digest) { throw CocoaError(.fileNoSuchFile) }
        #expect(other.count == 0)
    }

    @Test("other bytes than the digest's, and a picture that cannot be read, leave nothing")
    func refused() throws {
        let thumbnails = try thumbnails(Maker())
        let digest = Digest(of: Data("picture".utf8))
        #expect(throws: ArtifactError.self) {
            try thumbnails.png(of: digest) { Data("another".utf8) }
        }
        #expect(throws: CocoaError.self) {
            try thumbnails.png(of: Digest(of: Data())) { Data() }
        }
        #expect(files == [])
    }

    @Test("a thumbnail that was cut short is made again")
    func cut() throws {
        let maker = Maker()
        let thumbnails = try thumbnails(maker)
        let picture = Data("picture".utf8)
        let digest = Digest(of: picture)
        let made = try thumbnails.png(of: digest) { picture }
        let path = folder.path + "/1/\(digest.hex.prefix(2))/\(digest.hex).png"
        for damaged in [Data(), made.dropLast()] {
            try damaged.write(to: URL(fileURLWithPath: path))
            #expect(try thumbnails.png(of: digest) { picture } == made)
        }
        #expect(maker.count == 3)
    }

    @Test("the folder stays under its limit, and what went is made again")
    func limit() throws {
        let maker = Maker()
        let thumbnails = try thumbnails(maker, bytesMax: 2_000)
        let pictures = (0..<40).map { Data("picture \($0)".utf8) + Data(count: 200) }
        for picture in pictures { _ = try thumbnails.png(of: Digest(of: picture)) { picture } }
        let bytes = try files.reduce(0) { sum, file in
            sum + (try System.attributes(folder.path + "/" + file)[.size] as? Int ?? 0)
        }
        #expect(bytes <= 2_000 && bytes > 1_000)
        for picture in pictures { _ = try thumbnails.png(of: Digest(of: picture)) { picture } }
        #expect(maker.count > 40)
    }
}
