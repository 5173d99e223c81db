import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Tests that each fault ends in a documented exit code, an explanation and a remedy, and loses
    /// nothing: once the cause is gone, everything is as before.
    @Suite("Bad days of a store", .serialized)
    struct RefsBadDayTests {
        @Test("a store of a later format is left alone by every command")
        func laterFormat() throws {
            let project = try ReferencesProject.imported()
            let far = project.folder.file("far.git")
            try project.refsSucceed("init", "--remote", far)
            let pin = project.pin
            try project.draw("one", shade: 98)
            for store in [project.store, far] {
                let blob = try Shell.output(
                    "printf 2 | git -C '\(store)' hash-object -w --stdin"
                )
                try project.git("update-ref", "refs/snapfarm/format", blob, in: store)
                let all = [
                    ["check"], ["verify"], ["log"], ["show"], ["size"], ["commit"],
                    ["import", "--cell", "A"], ["prune", "--yes"], ["rotate", "new.git"],
                    ["checkout", "--layout", "fb"], ["publish"], ["move", "A", "C"], ["init"],
                    ["fetch", "--remote", far], ["push", "--remote", far],
                    ["check", "--remote", far],
                ]
                for command in store == far ? Array(all.suffix(2)) : all {
                    let result = try project.program(in: "main").run(["refs"] + command)
                    let what = "\(command): \(result.said)"
                    #expect(result.status == 78, "\(what)")
                    #expect(result.errors.contains("format \"2\"") || store == far, "\(what)")
                    #expect(result.errors.contains("has the format"), "\(what)")
                    #expect(result.errors.contains("newer snapfarm"), "\(what)")
                }
                let one = try Shell.output(
                    "printf 1 | git -C '\(store)' hash-object -w --stdin"
                )
                try project.git("update-ref", "refs/snapfarm/format", one, in: store)
            }
            #expect(project.pin == pin)
            try project.refsSucceed("verify")
            try project.refsSucceed("commit")
            try project.refsSucceed("push", "--remote", far)
            #expect(try project.storeIsClean() && project.storeIsClean(far))
        }

        @Test(
            "a damaged pack is named, never pruned, and whole again once its bytes are",
            arguments: [Damage.flipped, .shortened, .indexGone, .packGone]
        )
        func damagedPack(damage: Damage) throws {
            let project = try ReferencesProject(copying: try BigProject.superseded.get())
            let pin = project.pin
            let sets = try project.sets()
            let files = FileManager.default
            let packs = project.store + "/objects/pack"
            let safe = project.folder.file("safe")
            try files.copyItem(atPath: packs, toPath: safe)
            try damage.apply(to: packs)
            #expect(try !project.storeIsClean(), "the damage is real")

            let verified = try project.refs("verify")
            #expect(verified.status == 1, "\(verified.said)")
            let words = verified.said
            #expect(words.contains("problems"), "\(words.prefix(2_000))")
            #expect(words.contains("another copy") || words.contains("restore a copy"))
            let pruned = try project.refs(
                "prune",
                "--yes",
                "--keep-days",
                "0",
                "--young-days",
                "0",
                "--grace-days",
                "0"
            )
            #expect([74, 78].contains(pruned.status), "\(pruned.status) \(pruned.said)")
            #expect(pruned.errors.contains("Run `git") || pruned.errors.contains("fsck"))
            #expect(try project.sets() == sets)
            try files.removeItem(atPath: project.folder.file("main/Tests"))
            let placed = try project.refs("checkout", "--force")
            #expect([74, 78].contains(placed.status), "\(placed.status) \(placed.said)")
            #expect(placed.errors.contains(project.folder.path), "\(placed.said)")

            try files.removeItem(atPath: packs)
            try files.copyItem(atPath: safe, toPath: packs)
            #expect(project.pin == pin)
            try project.refsSucceed("verify")
            try project.refsSucceed("checkout", "--force")
            #expect(try project.storeIsClean())
        }

        @Test("pictures of a pack that is gone come back from the remote")
        func fetchedAgain() throws {
            let project = try ReferencesProject(copying: try BigProject.recorded.get())
            let far = project.folder.file("far.git")
            try project.refsSucceed("push", "--remote", far)
            try Damage.packGone.apply(to: project.store + "/objects/pack")
            let lost = try project.refs("verify")
            #expect(lost.status == 1 && lost.output.contains("snapfarm refs fetch"))
            try project.refsSucceed("fetch", "--remote", far)
            try project.refsSucceed("verify")
            #expect(try project.storeIsClean())
        }

        @Test(
            "a pin that was edited by hand is refused with its line",
            arguments: [
                ("A/Checkout\n", "snapfarm.refs:1"),
                ("A/Checkout\n 12\n", "snapfarm.refs:2"),
                ("../x/Checkout\n OID\n", "snapfarm.refs:1"),
                ("A/Checkout\r\n OID\r\n", "carriage return"),
                ("A/Checkout\n OID", "no line end"),
                ("<<<<<<< HEAD\nA/Checkout\n OID\n", "unresolved merge"),
                ("A/Checkout\n OID\nA/Checkout\n OID\n", "named twice"),
                ("B/Checkout\n OID\nA/Checkout\n OID\n", "belongs before"),
                ("A/Checkout\n BLOB\n", "A/Checkout"),
            ]
        )
        func editedPin(text: String, words: String) throws {
            let project = try ReferencesProject.imported()
            let good = project.pin
            let oid = String(good.split(separator: "\n")[1].dropFirst())
            func object(_ name: String) throws -> String {
                try project.git("rev-parse", name, in: project.store).output
                    .trimmingCharacters(in: .whitespacesAndNewlines)
            }
            let edited = text.replacing("OID", with: oid)
                .replacing("BLOB", with: try object("\(oid):one.png"))
            try project.folder.write("main/snapfarm.refs", edited)
            for command in [["check"], ["commit"]] {
                let result = try project.program(in: "main").run(["refs"] + command)
                let said = result.said
                #expect(result.status == 78, "\(command): \(result.status) \(said)")
                #expect(said.contains(words), "\(command): \(said)")
            }
            #expect(project.pin == edited)
            try project.git("checkout", "--", "snapfarm.refs")
            #expect(project.pin == good)
            try project.refsSucceed("verify")
            #expect(try project.storeIsClean())
        }

        @Test("what is missing is named: a set, a branch, a store")
        func missing() throws {
            let project = try ReferencesProject.imported()
            let zero = String(repeating: "5", count: 40)
            for (command, status, words) in [
                (["show", "nosuch"], 65, "nosuch"),
                (["show", zero], 78, zero),
                (["diff", zero], 78, zero),
                (["pin", "move", zero], 78, zero),
                (["merge", "nosuch"], 65, "nosuch"),
                (["prune", "--yes", "--require", "refs/heads/gone"], 78, "refs/heads/gone"),
                (["fetch"], 78, "--remote"),
                (["fetch", "--remote", "../nowhere.git"], 78, "nowhere.git"),
                (["check", "--remote", "../nowhere.git"], 78, "nowhere.git"),
            ] {
                let result = try project.program(in: "main").run(["refs"] + command)
                #expect(result.status == Int32(status), "\(command): \(result.said)")
                let said = result.said
                #expect(said.contains(words), "\(command): \(said)")
            }
            // A branch whose pinned set exists nowhere stops a prune, and the error names the
            // branch.
            try project.git("switch", "-qc", "strange")
            try project.folder.write("main/snapfarm.refs", "A/Checkout\n \(zero)\n")
            try project.commit("strange")
            try project.git("switch", "-q", "main")
            let pruned = try project.refs("prune", "--yes", "--keep-days", "0", "--young-days", "0")
            #expect(pruned.status == 78 && pruned.errors.contains("strange"), "\(pruned.said)")

            try FileManager.default.moveItem(
                atPath: project.store,
                toPath: project.folder.file("hidden")
            )
            for command in [["check"], ["verify"], ["commit"], ["prune", "--yes"], ["log"]] {
                let result = try project.program(in: "main").run(["refs"] + command)
                #expect(result.status == 78, "\(command): \(result.said)")
                #expect(result.errors.contains("refs init"), "\(command): \(result.said)")
            }
            try FileManager.default.moveItem(
                atPath: project.folder.file("hidden"),
                toPath: project.store
            )
            try project.refsSucceed("verify")
            #expect(try project.storeIsClean())
        }

        @Test(
            "a store that is read-only is read, and what would write says so",
            .enabled(if: getuid() == 0, "mounting needs root")
        )
        func readOnly() throws {
            let project = try ReferencesProject(copying: try BigProject.recorded.get())
            let far = project.folder.file("far.git")
            try project.refsSucceed("push", "--remote", far)
            let pin = project.pin
            let stores = [project.store, far]
            for store in stores {
                let mount =
                    "mount --bind '\(store)' '\(store)' && mount -o remount,ro,bind '\(store)'"
                guard try Shell.run(mount) == 0 else { return }
            }
            defer {
                withExtendedLifetime(project) {
                    for store in stores { _ = try? Shell.run("umount -l '\(store)'") }
                }
            }
            for command in [
                ["check"], ["verify"], ["log"], ["show"], ["size"], ["diff", "HEAD"], ["status"],
                ["checkout"], ["prune", "--dry-run"], ["export", "../out"],
                ["check", "--remote", far],
            ] {
                let result = try project.program(in: "main").run(["refs"] + command)
                #expect(result.status == 0, "\(command): \(result.status) \(result.said)")
            }
            try BigProject.draw(project, suites: 0..<1, seed: 3)
            for command in [
                ["commit"], ["move", "A", "C"],
                ["prune", "--yes", "--keep-days", "0", "--young-days", "0", "--grace-days", "0"],
            ] {
                let result = try project.program(in: "main").run(["refs"] + command)
                #expect(result.status == 74, "\(command): \(result.said)")
                #expect(result.errors.contains("Read-only file system"), "\(result.said)")
                #expect(result.errors.contains("permissions of the store"), "\(result.said)")
            }
            #expect(project.pin == pin)
            #expect(try Shell.run("umount '\(project.store)'") == 0)
            try project.refsSucceed("commit")
            let refused = try project.refs("push", "--remote", far)
            #expect([74, 78].contains(refused.status), "\(refused.status) \(refused.said)")
            #expect(refused.errors.contains(far), "\(refused.said)")
            #expect(try Shell.run("umount '\(far)'") == 0)
            try project.refsSucceed("push", "--remote", far)
            #expect(try project.storeIsClean() && project.storeIsClean(far))
        }

        @Test(
            "a disk that is full ends in 74, and with space the same command ends well",
            .enabled(if: getuid() == 0, "mounting needs root"),
            arguments: Interruption.all
        )
        func diskFull(command: Interruption) throws {
            let template = try command.template()
            let project = try ReferencesProject(copying: template)
            let whole = try ReferencesProject(copying: template)
            #expect(try command.start(whole).ending(within: 60).status == 0)
            let place = project.folder.file(command.name == "checkout" ? "clone" : command.store)
            guard let disk = try Disk(of: place, spareKilobytes: 60) else { return }
            defer { withExtendedLifetime(project) { disk.unmount() } }
            let full = try command.start(project).ending(within: 60)
            #expect(full.status == 74, "\(full.status) \(full.said)")
            #expect(full.errors.lowercased().contains("space"), "\(full.said)")
            let kept = Set(try template.sets()).subtracting(try project.sets())
            #expect(kept.isEmpty, "the failed command took \(kept) away")
            #expect(try disk.grow() == 0)
            #expect(try project.storeIsClean(project.folder.file(command.store)))
            let again = try command.start(project).ending(within: 60)
            #expect(again.status == 0, "\(again.said)")
            #expect(try command.outcome(project) == command.outcome(whole))
            #expect(try project.storeIsClean(project.folder.file(command.store)))
        }
    }
}

/// The damage to the largest pack of a store.
enum Damage: String {
    case flipped
    case shortened
    case indexGone
    case packGone

    func apply(to folder: String) throws {
        let files = FileManager.default
        let packs = try files.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".pack") }
        let sized = packs.map { ($0, files.contents(atPath: "\(folder)/\($0)")?.count ?? 0) }
        let name = try #require(sized.max { $0.1 < $1.1 }?.0)
        let path = "\(folder)/\(name)"
        let url = URL(fileURLWithPath: path)
        var bytes = try Data(contentsOf: url)
        try files.removeItem(atPath: path)
        switch self {
        case .flipped:
            for offset in stride(from: bytes.count / 4, to: bytes.count * 3 / 4, by: 5_000) {
                bytes[offset] ^= 0x55
            }
            try bytes.write(to: url)
        case .shortened: try bytes.prefix(bytes.count / 2).write(to: url)
        case .indexGone:
            try bytes.write(to: url)
            try files.removeItem(atPath: path.replacing(".pack", with: ".idx"))
        case .packGone: break
        }
    }
}

/// A folder moved to its own file system with little free space.
final class Disk {
    private let path: String

    /// Returns `nil` if nothing can be mounted.
    init?(of folder: String, spareKilobytes: Int) throws {
        path = folder
        let aside = folder + ".aside"
        try FileManager.default.moveItem(atPath: folder, toPath: aside)
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: false
        )
        let used = Int(try Shell.output("du -sk '\(aside)' | cut -f1")) ?? 0
        let size = used + spareKilobytes
        let mounted = try Shell.run("mount -t tmpfs -o size=\(size)k tmpfs '\(folder)'") == 0
        guard try Shell.run("cp -a '\(aside)/.' '\(folder)'") == 0, mounted else { return nil }
    }

    func unmount() { _ = try? Shell.run("umount -l '\(path)'") }

    func grow() throws -> Int32 { try Shell.run("mount -o remount,size=64m '\(path)'") }
}
