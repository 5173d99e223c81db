// `snapfarm refs catalogue`: a set as a folder of pages, to be sent to people or put on a web
// server. Each picture is written once, under its id. Its thumbnail is made once, and cached in the
// data folder.
import FarmArtifacts
import FarmCore
import FarmImaging
import FarmReferences
import FarmReports
import Foundation

/// The result of writing a catalogue.
package struct WrittenCatalogue: Sendable, Codable {
    package var set: ObjectID
    package var pictures: Int
    /// The pictures that cannot be decoded; they are listed without a thumbnail.
    package var unreadable: [SnapshotID]
    /// The absolute path of the catalogue's page.
    package var page: String
    /// The coverage of the pipeline's screens, or `nil` if it lists none.
    package var screens: ScreenCoverage?
}

/// A folder of pages that show the pictures of a set.
package struct CatalogueFolder: Sendable {
    private static let picturesFolder = "pictures"
    private static let thumbnailsFolder = "thumbs"
    /// The file that marks a folder as a catalogue.
    private static let mark = "catalogue.js"

    /// The names of the languages that a catalogue can be in.
    package static let languages = PageLanguage.allCases.map(\.rawValue)

    /// The absolute path of the catalogue's folder.
    let path: String

    package init(_ path: String) { self.path = PipelineSource.absolute(path) }

    /// Writes the catalogue of a pin's set.
    ///
    /// Removes files of an earlier catalogue that this one does not need. `language` is one of
    /// ``languages``; any other text means English.
    ///
    /// - Throws: `RefsError.notACatalogue` for a folder with other content.
    package func write(
        _ place: ReferencePlace,
        _ store: ReferenceStore,
        _ pin: ReferencePin,
        language: String
    ) async throws -> WrittenCatalogue {
        try checkIsOurs()
        let references = try store.references(pin).filter { !$0.id.isText }
        let objects = Set(references.flatMap { [$0.objectID] + $0.alternates }).sorted()
        let made = try await pictures(objects, store, try thumbnails(place))
        let set = pin.setID
        let catalogue = SetCatalogue(
            name: place.pipeline?.name ?? (place.folder as NSString).lastPathComponent,
            set: set,
            entry: try store.log().first { $0.set == set },
            cells: place.cells,
            pictures: try named(references, store, pin, made),
            screens: place.pipeline?.screens?.names
        )
        let tree = OutputTree(path)
        let known = PageLanguage(rawValue: language) ?? .english
        // The page comes last, so that it names only files that exist.
        for file in CataloguePage.files(of: catalogue, language: known) {
            try UnsyncedFile.write(Data(file.text.utf8), to: try tree.place(file.path))
        }
        removeOthers(than: made)
        return WrittenCatalogue(
            set: set,
            pictures: references.count,
            unreadable: references.filter { (made[$0.objectID] ?? nil) == nil }.map(\.id),
            page: path + "/index.html",
            screens: catalogue.coverage
        )
    }

    private func checkIsOurs() throws {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        guard names.isEmpty || names.contains(Self.mark) else {
            throw RefsError.notACatalogue(path)
        }
        try FileManager.default.createDirectory(
            atPath: path,
            withIntermediateDirectories: true
        )
    }

    private func thumbnails(_ place: ReferencePlace) throws -> Thumbnails {
        try Thumbnails(folder: place.folder + "/.snapfarm/thumbs") { try Thumbnail.png(of: $0) }
    }

    private func named(
        _ references: [Reference],
        _ store: ReferenceStore,
        _ pin: ReferencePin,
        _ made: [ObjectID: SetCatalogue.Thumbnail?]
    ) throws -> [SetCatalogue.Picture] {
        var records: [CellID: [String: SuiteRecord]] = [:]
        for cell in pin.cells { records[cell] = try store.suiteRecords(pin, cell: cell) }
        return references.map { reference in
            let id = reference.id
            let record = records[id.cell]?[id.firstFolder]
            return SetCatalogue.Picture(
                id: id,
                job: record?.job,
                test: record?.test(of: id),
                file: reference.objectID.hex,
                alternates: reference.alternates.map(\.hex),
                thumbnail: made[reference.objectID] ?? nil
            )
        }
    }

    // MARK: pictures

    /// Writes pictures with their thumbnails, on every processor, and returns the thumbnails by
    /// object; `nil` for a picture that cannot be decoded.
    private func pictures(
        _ objects: [ObjectID],
        _ store: ReferenceStore,
        _ thumbnails: Thumbnails
    ) async throws -> [ObjectID: SetCatalogue.Thumbnail?] {
        let parts = min(ProcessInfo.processInfo.activeProcessorCount, max(1, objects.count))
        return try await withThrowingTaskGroup(
            of: [ObjectID: SetCatalogue.Thumbnail?].self
        ) { group in
            for part in 0..<parts {
                group.addTask {
                    var made: [ObjectID: SetCatalogue.Thumbnail?] = [:]
                    for place in stride(from: part, to: objects.count, by: parts) {
                        try Task.checkCancellation()
                        let object = objects[place]
                        made.updateValue(
                            try self.picture(object, store, thumbnails),
                            forKey: object
                        )
                    }
                    return made
                }
            }
            var all: [ObjectID: SetCatalogue.Thumbnail?] = [:]
            for try await made in group { all.merge(made) { first, _ in first } }
            return all
        }
    }

    private func picture(
        _ object: ObjectID,
        _ store: ReferenceStore,
        _ thumbnails: Thumbnails
    ) throws -> SetCatalogue.Thumbnail? {
        let tree = OutputTree(path)
        let bytes = try store.read(object)
        try UnsyncedFile.write(
            bytes,
            to: try tree.place("\(Self.picturesFolder)/\(object.hex).png")
        )
        do {
            let size = try PNGDecoder.size(of: bytes)
            let small = try thumbnails.png(of: Digest(of: bytes)) { bytes }
            try UnsyncedFile.write(
                small,
                to: try tree.place("\(Self.thumbnailsFolder)/\(object.hex).png")
            )
            return SetCatalogue.Thumbnail(
                file: object.hex,
                size: try PNGDecoder.size(of: small),
                pictureSize: size
            )
        } catch is PictureError {
            return nil
        }
    }

    private func removeOthers(than made: [ObjectID: SetCatalogue.Thumbnail?]) {
        let files = FileManager.default
        for folder in [Self.picturesFolder, Self.thumbnailsFolder] {
            for name in (try? files.contentsOfDirectory(atPath: "\(path)/\(folder)")) ?? [] {
                guard name.hasSuffix(".png"), let object = ObjectID(name.dropLast(4)),
                    made[object] == nil
                else { continue }
                try? files.removeItem(atPath: "\(path)/\(folder)/\(name)")
            }
        }
    }
}
