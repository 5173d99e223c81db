// The names of files in a set: those of `SnapshotFile`. An alternate stands beside its snapshot:
//
//     testCart.png                            greeting.txt
//     testCart.alternate-3f2a9c01d4e5.PNG     greeting.alternate-3f2a9c01d4e5.TXT
//
// The digits are the first twelve of the alternate's blob id. No test can make that name, because
// every ending of a snapshot is in lower case; for the same reason, versions of snapfarm that know
// no alternates pass over them. Programs that show pictures, and Git hosts, know both spellings.
//
// A companion stands beside its picture, too, and ends in that of its kind:
//
//     testCart.elements.json.gz
import FarmCore

/// The name of a file in a folder of a set.
enum StoredName: Hashable {
    case picture(String)
    /// An alternate of the picture with this name, and the first digits of its blob id.
    case alternate(of: String, digits: String)
    /// A companion of the picture with this name.
    case companion(of: String, CompanionKind)

    private static let alternateMark = ".alternate-"
    private static let digitsCount = 12

    /// Parses the name of a file; returns `nil` for a file that is no picture and no companion.
    init?(_ file: String) {
        if let name = SnapshotFile.name(of: file) {
            self = .picture(name)
            return
        }
        for kind in CompanionKind.allCases
        where file.hasSuffix(kind.fileEnding) && file.utf8.count > kind.fileEnding.utf8.count {
            self = .companion(of: String(file.dropLast(kind.fileEnding.count)), kind)
            return
        }
        guard let dot = file.lastIndex(of: ".") else { return nil }
        let (stem, ending) = (file[..<dot], file[dot...].lowercased())
        guard file[dot...] == ending.uppercased(), ending != file[dot...] else { return nil }
        let digits = stem.suffix(Self.digitsCount)
        let rest = stem.dropLast(Self.digitsCount)
        guard digits.utf8.count == Self.digitsCount, digits.allSatisfy(\.isHexDigit),
            rest.hasSuffix(Self.alternateMark), rest.count > Self.alternateMark.count
        else { return nil }
        guard let name = SnapshotFile.name(of: rest.dropLast(Self.alternateMark.count) + ending)
        else { return nil }
        self = .alternate(of: name, digits: String(digits))
    }

    /// Makes the name of an alternate of a picture.
    init(alternate object: ObjectID, of name: String) {
        self = .alternate(of: name, digits: String(object.hex.prefix(Self.digitsCount)))
    }

    /// The file's name.
    var text: String {
        switch self {
        case .picture(let name): SnapshotFile.file(of: name)
        case .alternate(let name, let digits): Self.alternate(of: name, digits)
        case .companion(let name, let kind): name + kind.fileEnding
        }
    }

    private static func alternate(of name: String, _ digits: String) -> String {
        let file = SnapshotFile.file(of: name)
        let dot = file.lastIndex(of: ".") ?? file.endIndex
        return file[..<dot] + alternateMark + digits + file[dot...].uppercased()
    }

    /// The name of the picture that the file is, or that it belongs to.
    var pictureName: String {
        switch self {
        case .picture(let name), .alternate(let name, _), .companion(let name, _): name
        }
    }
}
