// The pages about flaky tests as files of a folder, with the pictures that a data folder kept.
import FarmArtifacts
import FarmCore
import FarmFiles
import FarmReports
import Foundation

/// Writes the pages about flaky tests.
package struct FlakyReport {
    /// The most bytes of the pictures in one folder.
    private static let picturesBytesMax = 64 << 20

    /// The path of the folder.
    let folder: String
    /// The blobs of the data folders that the tests come from.
    let blobs: [BlobStore]

    /// Makes the report in a folder; `data` are the data folders that may have pictures.
    package init(folder: String, data: [String]) throws {
        self.folder = PipelineSource.absolute(folder)
        blobs = try data.map { try BlobStore(folder: $0 + "/blobs") }
    }

    /// Writes a page for the list and for each test, in every language, and returns the first one's
    /// path.
    package func write(_ found: FlakyTests) throws -> String {
        try FileManager.default.createDirectory(
            atPath: folder + "/pictures",
            withIntermediateDirectories: true
        )
        let pictures = try writePictures(FlakyPages(found, links: Self.links([], .english)).tests)
        for language in PageLanguage.allCases {
            let pages = FlakyPages(found, links: Self.links(pictures, language))
            try write(pages.list(in: Self.frame("index", language)), "index", language)
            for test in pages.tests {
                guard let page = pages.page(of: test.id, in: Self.frame(test.id, language)) else {
                    continue
                }
                try write(page, test.id, language)
            }
        }
        return folder + "/" + Self.name("index", .english)
    }

    /// Copies the pictures of some tests and returns their digests.
    private func writePictures(_ tests: [FlakyTest]) throws -> Set<String> {
        var written: Set<String> = []
        var bytesLeft = Self.picturesBytesMax
        for capture in tests.flatMap(FlakyPages.pictures) where !written.contains(capture) {
            guard let digest = Digest(capture),
                let bytes = blobs.lazy.compactMap({ try? $0.read(digest) }).first,
                bytes.count <= bytesLeft
            else { continue }
            bytesLeft -= bytes.count
            try DurableFile.write(bytes, to: "\(folder)/pictures/\(digest.hex).png")
            written.insert(capture)
        }
        return written
    }

    private func write(_ page: String, _ name: String, _ language: PageLanguage) throws {
        try DurableFile.write(Data(page.utf8), to: folder + "/" + Self.name(name, language))
    }

    private static func name(_ name: String, _ language: PageLanguage) -> String {
        language == .english ? "\(name).html" : "\(name).\(language.rawValue).html"
    }

    private static func frame(_ name: String, _ language: PageLanguage) -> RunsFrame {
        RunsFrame(language: language, file: { Self.name(name, $0) })
    }

    private static func links(
        _ pictures: Set<String>,
        _ language: PageLanguage
    ) -> FlakyPages.Links {
        FlakyPages.Links(
            list: name("index", language),
            test: { Self.name($0, language) },
            run: { _ in nil },
            picture: { capture in
                pictures.contains(capture)
                    ? Digest(capture).map { "pictures/\($0.hex).png" } : nil
            }
        )
    }
}
