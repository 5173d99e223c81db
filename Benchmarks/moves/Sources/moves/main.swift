// Replays a real history of re-recorded pictures and asks the succession rules about every picture
// that was added: is it one that lay somewhere else before?
//
// A picture counts as
//   same       its snapshot id did not change at all: only the folder that holds the suites moved
//   moved      a rule proposes a name whose reference has the same bytes
//   compared   a rule proposes a name with a reference, but the bytes differ: shown as a change
//   new        no rule finds a reference
import FarmCore
import Foundation

/// What a team would have written beside the change.
///
/// `succeeds` of devices, in the spelling of the
/// pipeline file, and rename rules where the naming scheme itself changed (three times in four
/// years). In force from their first commit on.
struct Rules {
    static let renames: [(old: String, new: String)] = [
        // 492: the preview tests' new scheme.
        ("test_{screen}-{config}.{state}", "{screen}.{state}-{config}"),
        ("test_{screen}-{config}.1", "{screen}.{config}-0"),
        ("test_{screen}-{config}.2", "{screen}.{config}-1"),
        ("test_{screen}-{config}.3", "{screen}.{config}-2"),
        // 491: the numbers of steps went from the middle to the end.
        ("{test}-{step}-iPhone-{config}.UI", "{test}.testFlow-iPhone-{config}-{step}"),
        ("{test}-{step}-iPad-{config}.UI", "{test}.testFlow-iPad-{config}-{step}"),
    ]
    /// (new, old) devices; the nearest first.
    static let successions: [(new: String, old: String)] = [
        ("iPhone 15", "iPhone 14"), ("iPhone 16", "iPhone 15"), ("iPhone", "iPhone (26.1)"),
        ("iPad", "iPad (26.1)"),
        ("iPhone (18.1)", "iPhone 16"), ("iPad (18.1)", "iPad (10th generation)"),
        ("iPad (10th generation)", "iPad (9th generation)"),
        ("iPhone (18.4)", "iPhone (18.1)"), ("iPad (18.4)", "iPad (18.1)"),
        ("iPhone (18.5)", "iPhone (18.4)"), ("iPad (18.5)", "iPad (18.4)"),
        ("iPhone (26.0)", "iPhone (18.5)"), ("iPad (26.0)", "iPad (18.5)"),
        ("iPhone (26.1)", "iPhone (26.0)"), ("iPad (26.1)", "iPad (26.0)"),
        ("iPhone (26.2)", "iPhone (26.1)"), ("iPad (26.2)", "iPad (26.1)"),
    ]
}

/// Reads the cell out of the history's file names.
struct Reader {
    private var devices: [CellID: Device] = [:]
    private var cells: [CellID: Cell] = [:]

    /// Longest first: `iPhone-16-Pro` is not an `iPhone-16`.
    nonisolated(unsafe) private static let device =
        /(iPhone|iPad)(-(?:\d+(?:th|st|nd|rd)-generation|SE-[^-]+-generation|\d\d(?:-Pro)?(?:-Max)?(?=-[a-z]|\.|-pseudo)))?(?:-(\d\d)-(\d))?(?=[-.]|$)/
    nonisolated(unsafe) private static let locale =
        /(?:^|[-.])(en-GB|en-US|de-DE|fr-FR|pseudo)(?=[-.]|$)/
    nonisolated(unsafe) private static let leadingOS = /^(\d\d)-(\d)-/

    mutating func id(_ path: String) -> SnapshotID? {
        let parts = path.split(separator: "/").map(String.init)
        guard let place = parts.firstIndex(of: "__Snapshots__"), place + 2 < parts.count,
            let file = parts.last, file.hasSuffix(".png")
        else { return nil }
        let name = String(file.dropLast(4))
        // Two test targets have a suite of one name.
        let suites =
            (parts[0] == "compound-ios" ? ["compound"] : [])
            + parts[(place + 1)..<(parts.count - 1)]
        return try? SnapshotID(
            cell: cell(of: name),
            suite: suites.joined(separator: "/"),
            name: name
        )
    }

    private mutating func cell(of name: String) -> CellID {
        var deviceName = "host"
        var os: String?
        if let match = name.firstMatch(of: Self.device) {
            let words = String(match.1) + (match.2.map(String.init) ?? "")
            deviceName = words.replacing("-", with: " ")
            if deviceName.hasSuffix(" generation") {
                let parts = deviceName.split(separator: " ")
                deviceName = "\(parts[0]) (\(parts.dropFirst().joined(separator: " ")))"
            }
            if let major = match.3, let minor = match.4 { os = "\(major).\(minor)" }
        }
        if let match = name.firstMatch(of: Self.leadingOS) { os = "\(match.1).\(match.2)" }
        let variant =
            name.firstMatch(of: Self.locale)
            .map { [VariantValue(axis: "locale", value: String($0.1))] } ?? []
        var device = Device(name: deviceName, os: os, width: 0, height: 0, scale: 0)
        device.succeeds = Rules.successions.first { $0.new == device.title }?.old
        let id = Matrix.cellID(device: device, variant: variant)
        cells[id] = Cell(id: id, device: device, variant: variant)
        return id
    }

    /// The rules of all cells seen so far; a matrix of one cell per device succeeds as the list says.
    func rules(_ renames: [RenameRule]) -> SuccessionRules {
        SuccessionRules(cells: cells.values.sorted { $0.id < $1.id }, renames: renames)
    }
}

struct Tally {
    var added = 0
    var equalDeleted = 0
    var same = 0
    var moved = 0
    var movedAmongEqual = 0
    var sameAmongEqual = 0
    var compared = 0
    var unread = 0
}

func run() throws {
    let renames = try Rules.renames.map { try RenameRule(old: $0.old, new: $0.new) }
    let which = CommandLine.arguments.contains("--no-renames") ? [] : renames
    let verbose = CommandLine.arguments.contains("--left")
    var reader = Reader()
    var live: [SnapshotID: (content: String, path: String)] = [:]
    var tally = Tally()
    var commit: [(status: Substring, content: String, path: String)] = []
    var number: Substring = ""
    func finish() {
        var deleted: Set<String> = []
        for change in commit where change.status == "D" {
            deleted.insert(reader.id(change.path).flatMap { live[$0]?.content } ?? change.content)
        }
        let ids = commit.map { reader.id($0.path) }
        let rules = reader.rules(which)
        let before = live
        for (change, id) in zip(commit, ids) where change.status == "A" {
            tally.added += 1
            let equal = deleted.contains(change.content)
            if equal { tally.equalDeleted += 1 }
            guard let id else {
                tally.unread += 1
                continue
            }
            if before[id]?.content == change.content {
                tally.same += 1
                if equal { tally.sameAmongEqual += 1 }
                continue
            }
            let found = rules.predecessors(of: id).compactMap { before[$0] }
            if found.contains(where: { $0.content == change.content }) {
                tally.moved += 1
                if equal { tally.movedAmongEqual += 1 }
            } else {
                if !found.isEmpty { tally.compared += 1 }
                if equal, verbose { print("left", number, change.path) }
            }
        }
        for (change, id) in zip(commit, ids) where change.status == "D" {
            if let id, live[id]?.path == change.path { live[id] = nil }
        }
        for (change, id) in zip(commit, ids) where change.status != "D" {
            if let id { live[id] = (change.content, change.path) }
        }
        commit = []
    }
    while let line = readLine() {
        guard !line.hasPrefix("#") else { continue }
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
        guard fields.count == 6 else { continue }
        if String(fields[0]) != String(number) {
            finish()
            number = fields[0]
        }
        commit.append((fields[2], String(fields[4]), String(fields[5])))
    }
    finish()
    print(
        """
        added pictures                                     \(tally.added)
        equal to one deleted in the same commit            \(tally.equalDeleted)
          whose snapshot id did not change (same)          \(tally.sameAmongEqual)
          moved                                            \(tally.movedAmongEqual)
          left to look at                                  \(tally.equalDeleted - tally.sameAmongEqual - tally.movedAmongEqual)
        all added: same \(tally.same), moved \(tally.moved), compared with a predecessor \(tally.compared), \
        not read \(tally.unread)
        a person must look at: before \(tally.added), after \(tally.added - tally.same - tally.moved)
        """
    )
}

try run()
