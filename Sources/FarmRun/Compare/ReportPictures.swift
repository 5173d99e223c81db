// The pictures of `--report`: those of each pair that differs, below the folders that reg.json names.
import FarmArtifacts
import FarmCore
import FarmImaging
import Foundation

/// The files of one picture in a report, and the identities of their bytes.
struct ReportedPictures: Sendable {
    /// The paths in the report, by `reference`, `failed` and `diff`.
    var files: [String: String] = [:]
    var reference: ObjectID?
    var capture: Digest?
    /// The size of the picture on the right, or of the only one; `nil` if it is no PNG.
    var size: PixelSize?
}

/// Writes the pictures of a report into its folder.
struct ReportPictures: Sendable {
    /// A side of the pictures, with its folder's name in reg-suit.
    enum Kind: String, CaseIterable {
        case left = "expected"
        case right = "actual"
        case difference = "diff"

        /// The role of the file in the summary of a run.
        fileprivate var role: String {
            switch self {
            case .left: "reference"
            case .right: "failed"
            case .difference: "diff"
            }
        }
    }

    let folder: DiffFolder

    /// Opens the folder of a report, and removes the pictures of an earlier one.
    init(_ path: String) throws(CompareError) {
        folder = try DiffFolder(path, .report)
        try folder.remove(Kind.allCases.flatMap { [$0.rawValue, $0.rawValue + Self.unnamed] })
    }

    /// The end of the name of the folder for pictures whose own paths cannot be a URL.
    private static let unnamed = "-unnamed"

    /// Writes both pictures of a pair.
    func write(
        _ pair: PicturePair,
        _ origin: PicturePair.Origin,
        left: Data,
        right: Data
    ) throws(CompareError) -> ReportedPictures {
        var pictures = ReportedPictures()
        let name = pair.differencePath(origin)
        try write(.left, name, left, number: pair.number, &pictures)
        try write(.right, name, right, number: pair.number, &pictures)
        return pictures
    }

    /// Adds the picture of a difference to those of a finding.
    func add(
        _ difference: [UInt8],
        to finding: inout Finding,
        _ origin: PicturePair.Origin
    ) throws(CompareError) {
        var pictures = finding.reported ?? ReportedPictures()
        let pair = finding.pair
        let name = pair.differencePath(origin)
        try write(.difference, name, Data(difference), number: pair.number, &pictures)
        finding.diff = pictures.files[Kind.difference.role].map { "\(folder.path)/\($0)" }
        finding.reported = pictures
    }

    /// Writes one picture, and notes its file and the identity of its bytes.
    ///
    /// Calls at the same time need different numbers.
    func write(
        _ kind: Kind,
        _ name: PathBytes,
        _ bytes: Data,
        number: Int,
        _ pictures: inout ReportedPictures
    ) throws(CompareError) {
        let isPlain = name.isText && ZipPaths.isSafe(name.text)
        let path =
            isPlain
            ? "\(kind.rawValue)/\(name.text)" : "\(kind.rawValue)\(Self.unnamed)/\(number).png"
        _ = try folder.write(PathBytes(path), Array(bytes), number: number)
        pictures.files[kind.role] = path
        switch kind {
        case .left: pictures.reference = ObjectID(ofBlob: bytes)
        case .right: pictures.capture = Digest(of: bytes)
        case .difference: return
        }
        pictures.size = (try? PNGDecoder.size(of: bytes)) ?? pictures.size
    }
}
