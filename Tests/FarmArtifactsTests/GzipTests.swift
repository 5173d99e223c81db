import FarmArtifacts
import FarmTesting
import Foundation
import Testing

@Suite("Files packed with gzip")
struct GzipTests {
    private static let text = Data(String(repeating: "snapfarm ", count: 500).utf8)

    @Test("what is packed is unpacked equal, and equal bytes are packed into equal bytes")
    func roundTrip() throws {
        for bytes in [Data(), Data([0]), Self.text] {
            let packed = try Gzip.packed(bytes)
            #expect(try Gzip.unpacked(packed, bytesMax: 4500) == bytes)
            #expect(try Gzip.packed(bytes) == packed)
        }
        #expect(try Gzip.packed(Self.text).count < 100)
    }

    @Test("the programs of the system read it")
    func gunzip() throws {
        let folder = try TemporaryFolder("gzip")
        let file = folder.file("a.gz")
        try Gzip.packed(Self.text).write(to: URL(fileURLWithPath: file))
        let said = try TestProcess.run(["gzip", "-dc", file])
        #expect(said.status == 0 && Data(said.output.utf8) == Self.text)
    }

    @Test("damage, a cut, more bytes behind the end and a bomb are refused")
    func refused() throws {
        let packed = try Gzip.packed(Self.text)
        for place in packed.indices {
            var damaged = packed
            damaged[place] ^= 0x55
            #expect(try Gzip.unpacked(damaged, bytesMax: 4500) == nil, "byte \(place)")
        }
        let longer = packed.dropLast(8) + [0] + packed.suffix(8)
        for bytes in [Data(), packed.dropLast(), packed + [0], Data(packed.dropFirst()), longer] {
            #expect(try Gzip.unpacked(bytes, bytesMax: 4500) == nil)
        }
        #expect(try Gzip.unpacked(packed, bytesMax: 4499) == nil)
    }
}
