// The place of references in a work tree: from the command line, or from the last checkout.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

enum LayoutName: String, CaseIterable, ExpressibleByArgument {
    /// The layout of iOSSnapshotTestCase.
    case fb
    /// The layout of swift-snapshot-testing.
    case pointFree = "point-free"
    case plain
}

struct LayoutOptions: ParsableArguments {
    @Option(help: "fb (ReferenceImages), point-free (__Snapshots__) or plain (cell folders).")
    var layout: LayoutName?
    @Option(help: "The layout's folder, relative to the root of the work tree.")
    var folder: String?
    @Option(name: .customLong("cell"), help: "Only this cell; may be repeated.")
    var cells: [String] = []

    /// Returns the layout that the options name, or `nil` if they name none.
    func layout(of pin: ReferencePin, in store: ReferenceStore, root: String) throws
        -> ReferenceLayout?
    {
        guard let layout else {
            guard let folder else { return nil }
            return .plain(folder: trimmed(folder))
        }
        let folder = trimmed(self.folder ?? "")
        switch layout {
        case .fb:
            return .fbReferenceImages(folder: folder.isEmpty ? "ReferenceImages_64" : folder)
        case .plain:
            return .plain(folder: folder.isEmpty ? "ReferenceImages" : folder)
        case .pointFree:
            let references = try chosen(of: pin).flatMap { try store.references(pin, cell: $0) }
            let suites = Set(references.map(\.id.suite))
            let found = try TestFolders(of: suites, in: root)
            for (suite, places) in found.ambiguous.sorted(by: { $0.key < $1.key }) {
                Console.say("\(suite): several test files: \(places.joined(separator: ", "))")
            }
            return .pointFree(folder: folder, testFolders: found.folders)
        }
    }

    /// Returns the cells that the options name, or all of the pin if they name none.
    func chosen(of pin: ReferencePin) throws -> [CellID] {
        guard !cells.isEmpty else { return pin.cells }
        let wanted = cells.map { CellID($0) }
        for cell in wanted where !pin.cells.contains(cell) {
            throw RefsError.unknownCell(
                cell.text,
                owner: "the pin",
                known: pin.cells.map(\.text)
            )
        }
        return wanted
    }

    private func trimmed(_ path: String) -> String {
        path.split(separator: "/").filter { $0 != "." }.joined(separator: "/")
    }
}
