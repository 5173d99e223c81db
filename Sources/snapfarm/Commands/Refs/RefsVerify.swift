// `snapfarm refs verify`: hashes every object again and follows every pin; `refs size`: the size of
// references.
import ArgumentParser
import FarmCore
import FarmReferences
import FarmRun
import Foundation

struct RefsVerify: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Reads and hashes every set, and follows the pins.",
        discussion: "Exit 0: sound; 1: problems, listed with what to do."
    )

    @OptionGroup var options: RefsOptions
    @Flag(help: "Also the pins of all branches, tags and pull requests.") var allPins = false

    func run() throws {
        let place = try options.place()
        let store = try place.store()
        var pins = [NamedPin(name: place.pinPath, pin: try place.pin())]
        if allPins { pins += try place.pins(of: PrunePolicy(recentDays: 0), in: store) }
        let isLive = Console.isLive(place.environment)
        var said = 0
        let found = try store.verify(pins: pins) { files in
            guard isLive, files >= said + 10_000 else { return }
            said = files
            Console.say("\(files) files")
        }
        try options.show(found, lines: found.lines)
        guard found.isSound else { throw ArgumentParser.ExitCode(ExitCode.differences.rawValue) }
    }
}

struct RefsSize: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "size",
        abstract: "Shows what references weigh, by cell, suite and age.",
        discussion: "\"Live\" counts what is named by the pin here or by a branch's or tag's pin."
    )

    @OptionGroup var options: RefsOptions

    func run() throws {
        let place = try options.place()
        let store = try place.store()
        var pins = [try place.pin()]
        do {
            pins += try place.pins(of: PrunePolicy(recentDays: 0), in: store).map(\.pin)
        } catch let error as PruneError {
            Console.say("live is the work tree's pin alone: \(error.message)")
        }
        // The set of some branch's pin may have been pruned long ago.
        let whole = pins.filter { (try? store.check($0)) != nil }
        let size = try store.size(live: whole)
        try options.show(size, lines: Self.lines(size))
    }

    private static func lines(_ size: StoreSize) -> [String] {
        var rows = [["live", "", "all", "", ""]]
        func row(_ live: PictureBytes, _ all: PictureBytes, _ name: String) {
            rows.append([
                Amount.bytes(live.bytes), "\(live.pictures)", Amount.bytes(all.bytes),
                "\(all.pictures)", name,
            ])
        }
        row(size.live, size.total, "all pictures")
        for part in size.cells { row(part.live, part.total, part.name) }
        for part in size.suites { row(part.live, part.total, part.name) }
        for age in size.ages { row(age.live, age.total, "\(age.set.short) \(age.title)") }
        var lines = TextTable.lines(rows, numbers: [0, 1, 2, 3])
        if size.absent > 0 { lines.append("\(size.absent) pictures are not in this store") }
        lines.append("\(Amount.bytes(size.diskBytes)) on disk")
        return lines
    }
}
