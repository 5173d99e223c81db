import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Synchronization
import Testing

@testable import FarmWorker

@Suite("References that a lease's framework reads")
struct ReferenceTreeTests {
    @Test("come again where a test of another lease rewrote the cached one and hid it")
    func rewritten() async throws {
        let folder = try TemporaryFolder("references")
        let bytes = Data("the reference".utf8)
        let object = ObjectID(ofBlob: bytes)
        let id = try SnapshotID(cell: CellID("iPhone"), suite: "Shop", name: "cart")
        let cache = try PictureCache(at: folder.file("cache"))
        let asked = Mutex(0)
        func lay(_ name: String) async throws -> ReferenceTree {
            let tree = ReferenceTree(
                folder: folder.file(name),
                references: ["cart.png": Reference(id: id, objectID: object)],
                remedy: ""
            )
            try await tree.materialise(from: cache, now: Date()) { _ in
                asked.withLock { $0 += 1 }
                return bytes
            }
            return tree
        }
        #expect(try await lay("first").change() == nil)
        let hostile = """
            f=$0; touch -r $f $f.time; chmod u+w $f; printf 'the Reference' >$f
            chmod 444 $f; touch -r $f.time $f
            """
        let ending = try TestProcess.run(["sh", "-c", hostile, folder.file("first/cart.png")])
        #expect(ending.status == 0, "\(ending.errors)")
        #expect(try await lay("second").change() == nil)
        #expect(asked.withLock { $0 } == 2)
    }
}
