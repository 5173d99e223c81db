// The names of files in a set. A picture is `<name>.png`. An alternate stands beside its picture:
//
//     testCart.png
//     testCart.alternate-3f2a9c01d4e5.PNG
//
// The digits are the first twelve of the alternate's blob id. No test can make that name, because
// every picture of a test ends in `.png`; for the same reason, versions of snapfarm that know no
// alternates pass over them. Programs that show pictures, and Git hosts, know both spellings.
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

    private static let pictureEnding = ".png"
    private static let alternateEnding = ".PNG"
    private static let alternateMark = ".alternate-"
    private static let digitsCount = 12

    /// Parses the name of a file; returns `nil` for a file that is no picture and no companion.
    init?(_ file: String) {
        if file.hasSuffix(Self.pictureEnding), file.utf8.count > Self.pictureEnding.utf8.count {
            self = .picture(String(file.dropLast(Self.pictureEnding.count)))
            return
        }
        for kind in CompanionKind.allCases
        where file.hasSuffix(kind.fileEnding) && file.utf8.count > kind.fileEnding.utf8.count {
            self = .companion(of: String(file.dropLast(kind.fileEnding.count)), kind)
            return
        }
        guard file.hasSuffix(Self.alternateEnding) else { return nil }
        let stem = file.dropLast(Self.alternateEnding.count)
        let digits = stem.suffix(Self.digitsCount)
        let rest = stem.dropLast(Self.digitsCount)
        guard digits.utf8.count == Self.digitsCount, digits.allSatisfy(\.isHexDigit),
            rest.hasSuffix(Self.alternateMark), rest.count > Self.alternateMark.count
        else { return nil }
        let name = String(rest.dropLast(Self.alternateMark.count))
        self = .alternate(of: name, digits: String(digits))
    }

    /// Makes the name of an alternate of a picture.
    init(alternate object: ObjectID, of name: String) {
        self = .alternate(of: name, digits: String(object.hex.prefix(Self.digitsCount)))
    }

    /// The file's name.
    var text: String {
        switch self {
        case .picture(let name): name + Self.pictureEnding
        case .alternate(let name, let digits):
            name + Self.alternateMark + digits + Self.alternateEnding
        case .companion(let name, let kind): name + kind.fileEnding
        }
    }

    /// The name of the picture that the file is, or that it belongs to.
    var pictureName: String {
        switch self {
        case .picture(let name), .alternate(let name, _), .companion(let name, _): name
        }
    }
}
