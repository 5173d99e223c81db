// SnapfarmTestKit: copy this file into your test target. It needs nothing but Foundation.
//
//     try snapfarmRecord(png, named: "empty cart")      // in an XCTestCase or a Swift Testing test
//
// Under snapfarm it writes the picture and, beside it, whose it is, so that the farm never guesses an
// owner. Everywhere else (Xcode, `swift test`) it does nothing. It never compares: the farm does.
//
// Tried on Linux with XCTest and Swift Testing. The helpers for UIKit and SwiftUI at the end have
// never been tried: nobody had a Mac. Please say what you find.
import Foundation

#if canImport(Testing)
import Testing
#endif
#if canImport(XCTest)
import XCTest
#endif

/// Why a picture was not written; the test that asked for it fails with this.
public struct SnapfarmError: Error, CustomStringConvertible {
    /// What is wrong, and what to do.
    public let description: String
}

#if canImport(XCTest)
extension XCTestCase {
    /// Gives a PNG to the farm as this test's picture.
    ///
    /// `name` tells the pictures of one test apart: one name twice is refused.
    public func snapfarmRecord(_ png: Data, named name: String) throws {
        // `Cart.testEmpty` on Linux, `-[App.Cart testEmpty]` on Apple's systems.
        let words = self.name.split { $0 == " " || $0 == "." || $0 == "]" }
        let suite = String(reflecting: type(of: self))
        let test = String(words.last ?? "")
        try SnapfarmPicture(suite: suite, test: test, id: "\(suite)/\(test)").write(png, name)
    }
}
#endif

#if canImport(Testing)
/// Gives a PNG to the farm as the picture of the Swift Testing test that runs.
///
/// `name` tells the pictures of one test apart, also those of its arguments: one name twice is
/// refused.
public func snapfarmRecord(_ png: Data, named name: String) throws {
    guard SnapfarmPicture.folder != nil else { return }
    guard let id = Test.current?.id else {
        throw SnapfarmError(
            description:
                "snapfarmRecord does not know which test runs: call it from the test's own "
                + "task, and from an XCTestCase as its method."
        )
    }
    let module = id.moduleName
    let types = id.nameComponents.dropLast()
    let suite = types.isEmpty ? module : module + "." + types.joined(separator: "/")
    let path = id.nameComponents.joined(separator: "/")
    try SnapfarmPicture(suite: suite, test: id.nameComponents.last ?? "", id: "\(module).\(path)")
        .write(png, name)
}
#endif

/// One test's place in the folder of pictures.
private struct SnapfarmPicture {
    /// Where the farm looks; nil where no farm runs this test.
    static var folder: String? {
        let folder = ProcessInfo.processInfo.environment["SNAPFARM_CAPTURE_DIR"]
        return folder?.isEmpty == false ? folder : nil
    }

    var suite: String
    var test: String
    /// As the farm calls the test case.
    var id: String

    private struct Sidecar: Encodable {
        var test: String
        var identifier: String
    }

    func write(_ png: Data, _ name: String) throws {
        guard let folder = Self.folder else { return }
        guard png.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) else {
            throw SnapfarmError(description: "the picture \"\(name)\" of \(id) is no PNG.")
        }
        let parts = suite.split(separator: "/").map { Self.plain(String($0)) }
        let file = Self.plain(String(test.prefix { $0 != "(" })) + "." + Self.plain(name)
        let place = URL(fileURLWithPath: folder).appendingPathComponent(
            parts.joined(separator: "/")
        )
        try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
        let picture = place.appendingPathComponent(file + ".png")
        let sidecar = place.appendingPathComponent(file + ".json")
        let said = try JSONEncoder().encode(Sidecar(test: id, identifier: name))
        do {
            // Only one can make it, also among processes: it keeps the name for its test.
            try said.write(to: sidecar, options: .withoutOverwriting)
        } catch {
            guard FileManager.default.fileExists(atPath: sidecar.path) else { throw error }
            throw SnapfarmError(
                description: "\(id) has a picture \"\(name)\" already; names are told apart by "
                    + "letters, digits, - and _. Give each picture its own name."
            )
        }
        try png.write(to: picture, options: .atomic)
    }

    /// Letters, digits, `-`, `_` and `.` as they are, all else as `-`.
    private static func plain(_ text: String) -> String {
        let kept = text.map { letter in
            letter.isLetter || letter.isNumber || "-_.".contains(letter) ? letter : "-"
        }
        let name = String(kept.drop { $0 == "." || $0 == "-" })
        return name.isEmpty ? "picture" : name
    }
}

// MARK: never tried

#if canImport(UIKit) && !os(watchOS)
import UIKit

/// A view as it is drawn in its bounds.
///
/// Never tried.
@MainActor
public func snapfarmPNG(of view: UIView) -> Data {
    let renderer = UIGraphicsImageRenderer(bounds: view.bounds)
    return renderer.pngData { _ in
        view.drawHierarchy(in: view.bounds, afterScreenUpdates: true)
    }
}
#endif

#if canImport(SwiftUI) && canImport(UIKit) && !os(watchOS)
import SwiftUI

/// A SwiftUI view at a scale; nil where nothing was drawn.
///
/// Never tried.
@available(iOS 16, tvOS 16, *)
@MainActor
public func snapfarmPNG(of view: some View, scale: CGFloat) -> Data? {
    let renderer = ImageRenderer(content: view)
    renderer.scale = scale
    return renderer.uiImage?.pngData()
}
#endif
