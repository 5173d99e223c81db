// The element tree of a capture: kept if the capture may become a reference, and compared with that
// of the reference. A tree that cannot be read costs a note, never the picture.
import FarmAPI
import FarmArtifacts
import FarmCore
import FarmImaging
import Foundation

extension CaptureProcessor {
    /// Stores the element tree of a capture, and adds the elements that differ to the explanation of
    /// its difference.
    func addElements(of file: CapturedFile, _ report: inout CaptureReport) async throws {
        let isKept = report.comparison?.matches != true || report.predecessor != nil
        guard let path = file.elements, isKept, report.problem == nil else { return }
        let tree: ElementTree
        let packed: Data
        do throws(ElementTree.Mistake) {
            tree = try ElementTree(parsing: try Self.bytes(of: path))
            packed = try Self.packed(tree)
        } catch {
            report.warning = report.warning ?? "its element tree is not kept: \(error.fact)."
            return
        }
        let digest = Digest(of: packed)
        try await client.put(packed, as: digest)
        report.companions = [
            .elements: Companion(
                digest: digest,
                objectID: ObjectID(ofBlob: packed),
                bytes: packed.count
            )
        ]
        guard let explanation = report.comparison?.difference?.explanation,
            let old = await referenceTree(of: report)
        else { return }
        var explained = explanation
        explained.elements = ElementChanges.between(old, tree, in: explanation)
        report.comparison = report.comparison?.explained(by: explained)
    }

    /// Returns the element tree of the capture's own reference, or `nil` if it has none that can be
    /// read.
    private func referenceTree(of report: CaptureReport) async -> ElementTree? {
        // The difference to a predecessor is only a hint.
        guard let object = expected.companions[report.capture.id]?[.elements],
            let packed = try? await client.picture(shard.run, object),
            packed.count <= FarmLimits.companionBytesMax,
            let bytes = try? Gzip.unpacked(packed, bytesMax: FarmLimits.elementsBytesMax)
        else { return nil }
        return try? ElementTree(parsing: bytes)
    }

    private static func bytes(of path: String) throws(ElementTree.Mistake) -> Data {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
        guard let size, size <= FarmLimits.elementsBytesMax else {
            throw ElementTree.Mistake(
                "it has more than \(FarmLimits.elementsBytesMax.grouped) bytes"
            )
        }
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw ElementTree.Mistake("its file cannot be read")
        }
        return bytes
    }

    private static func packed(_ tree: ElementTree) throws(ElementTree.Mistake) -> Data {
        guard let json = try? tree.json(), let packed = try? Gzip.packed(json) else {
            throw ElementTree.Mistake("it cannot be packed")
        }
        guard packed.count <= FarmLimits.companionBytesMax else {
            throw ElementTree.Mistake(
                "packed it has more than \(FarmLimits.companionBytesMax.grouped) bytes"
            )
        }
        return packed
    }
}
