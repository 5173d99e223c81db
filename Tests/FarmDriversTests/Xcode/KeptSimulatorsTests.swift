import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers

@Suite("Simulators that stay for later runs")
struct KeptSimulatorsTests {
    private static let tests = #"["A/testOne", "A/testTwo"]"#
    private static let keep = ["SNAPFARM_SIMULATORS": "keep"]

    private static var kept: String {
        KeptMark(xcode: "16.4", build: "22F77").name(title: "iPhone 16 (18.5)")
    }

    private func firstBoots(_ mac: XcodeMac) throws -> Int {
        try mac.events("boot").count { $0["first"] as? Bool == true }
    }

    /// Lists the tests and runs them with `driver`, which stands for a process.
    private func run(_ mac: XcodeMac, _ driver: XcodeDriver, cells: [Cell]? = nil) async throws {
        let job = mac.job(cells: cells ?? [XcodeMac.cell("iPhone 16", "18.5")])
        let found = try await mac.discover(job, driver: driver)
        for cell in job.cells {
            let heard = try await mac.run(job, found, cell: cell, driver: driver)
            #expect(Set(heard.endings.values) == [.passed])
        }
    }

    /// Returns the simulators in which tests ran or were listed.
    private func used(_ mac: XcodeMac) throws -> Set<String> {
        Set(try mac.events("launch").compactMap { $0["device"] as? String })
    }

    @Test(
        "the first run boots one for the first time, and the next run starts without a first boot"
    )
    func secondRun() async throws {
        let mac = try await XcodeMac(tests: Self.tests, variables: Self.keep)
        try await run(mac, mac.driver)
        await mac.driver.shutDown()
        #expect(try firstBoots(mac) == 1)
        #expect(try await mac.simulators() == [Self.kept])
        let next = mac.nextDriver()
        try await run(mac, next)
        await next.shutDown()
        #expect(try firstBoots(mac) == 1)
        #expect(try await mac.simulators() == [Self.kept])
        // The kept simulator booted once and was otherwise only cloned.
        let source = try #require(try mac.events("create").first?["device"] as? String)
        #expect(try mac.events("create").count == 1)
        #expect(try mac.events("boot").count { $0["device"] as? String == source } == 1)
        #expect(try !used(mac).contains(source))
        let calls = try mac.events("start").compactMap { $0["argv"] as? [String] }
            .filter { $0.contains(source) }.compactMap { $0.dropFirst().first }
        let clones = Array(repeating: "clone", count: 4)
        #expect(calls == ["bootstatus", "shutdown", "rename"] + clones)
    }

    @Test("without the setting nothing is kept, and what is kept is not used")
    func notAsked() async throws {
        let mac = try await XcodeMac(
            tests: Self.tests,
            machine: """
                {"devices": [{"name": "\(Self.kept)", "type": "iPhone 16", "runtime": "18.5"}]}
                """
        )
        try await run(mac, mac.driver)
        await mac.driver.shutDown()
        #expect(try mac.events("clone").isEmpty && mac.events("rename").isEmpty)
        #expect(try await mac.simulators() == [Self.kept])
    }

    @Test("a run on other settings changes nothing for the next run")
    func settings() async throws {
        let mac = try await XcodeMac(tests: Self.tests, variables: Self.keep)
        let other = XcodeMac.cell(
            "iPhone 16",
            "18.5",
            [
                "locale": "ja-JP", "appearance": "dark", "text-size": "small",
                "contrast": "increased",
            ]
        )
        try await run(mac, mac.driver, cells: [other])
        await mac.driver.shutDown()
        let next = mac.nextDriver()
        try await run(mac, next)
        await next.shutDown()
        let launches = try mac.events("launch")
        #expect(launches.map { $0["appearance"] as? String } == ["dark", "light"])
        #expect(launches.map { $0["contentSize"] as? String } == ["small", "large"])
        let languages = launches.map { ($0["live"] as? [String: Any])?["AppleLocale"] as? String }
        #expect(languages == ["ja_JP", "en_US"])
        #expect(try firstBoots(mac) == 1)
    }

    @Test("two processes at once never have the same simulator")
    func twoProcesses() async throws {
        let mac = try await XcodeMac(tests: Self.tests, variables: Self.keep)
        try await run(mac, mac.driver)
        let process = try TestProcess(["sleep", "1000"])
        let other = mac.nextDriver(owner: ProcessMark.mark(of: process.pid))
        async let one: Void = run(mac, mac.driver)
        async let two: Void = run(mac, other)
        _ = try await (one, two)
        #expect(try mac.events("refuse").isEmpty)
        #expect(try LeaseTrace(mac).sharedSimulators.isEmpty)
        await mac.driver.shutDown()
        await other.shutDown()
        #expect(try firstBoots(mac) == 1)
        #expect(try await mac.simulators() == [Self.kept])
        process.kill()
    }

    @Test("the clone of a killed process is deleted at the next start, and the kept one stays")
    func killed() async throws {
        let process = try TestProcess(["sleep", "1000"])
        let mac = try await XcodeMac(
            tests: Self.tests,
            owner: ProcessMark.mark(of: process.pid),
            variables: Self.keep
        )
        try await run(mac, mac.driver)
        #expect(try await mac.simulators().count == 2)
        let next = mac.nextDriver()
        process.kill()
        await next.removeLeftovers()
        #expect(try await mac.simulators() == [Self.kept])
        await next.shutDown()
    }

    @Test(
        "a kept one that cannot be cloned, or whose clone does not boot, is replaced",
        arguments: [
            #"{"kind": "clone-fails"}"#, #"{"kind": "boot-fails"}"#,
            // No launch in the clone starts, so the lease fails.
            #"{"kind": "early-exit", "times": 2}"#,
        ]
    )
    func useless(_ trouble: String) async throws {
        let mac = try await XcodeMac(tests: Self.tests, variables: Self.keep)
        try await run(mac, mac.driver)
        await mac.driver.shutDown()
        let before = try #require(try mac.events("rename").first?["device"] as? String)
        if trouble.contains("early-exit") {
            let lost = mac.nextDriver()
            let job = mac.job()
            let found = try await mac.discover(job, driver: lost)
            try mac.trouble("[\(trouble)]")
            await #expect(throws: XcodeError.self) {
                try await mac.run(job, found, driver: lost)
            }
            await lost.shutDown()
        } else {
            try mac.trouble("[\(trouble)]")
        }
        let last = mac.nextDriver()
        try await run(mac, last)
        await last.shutDown()
        #expect(try await mac.simulators() == [Self.kept])
        let after = try #require(try mac.events("rename").last?["device"] as? String)
        #expect(after != before)
        #expect(try firstBoots(mac) == 2)
    }

    @Test("one that cannot be renamed is not kept, and the run goes on with another")
    func renameFails() async throws {
        let mac = try await XcodeMac(tests: Self.tests, variables: Self.keep)
        try mac.trouble(#"[{"kind": "rename-fails", "times": 2}]"#)
        try await run(mac, mac.driver)
        await mac.driver.shutDown()
        #expect(try await mac.simulators() == [])
    }

    @Test("a start deletes kept ones that are too old, there twice or too many, and no others")
    func swept() async throws {
        func device(_ xcode: String, daysOld: Int, type: String = "iPhone 16") -> String {
            let mark = KeptMark(xcode: xcode, build: "22F77", day: KeptMark.today - daysOld)
            return #"{"name": "\#(mark.name(title: type))", "type": "\#(type)", "runtime": "18.5"}"#
        }
        let many = (1...KeptMark.countMax).map { device("\($0).0", daysOld: 2) }
        let devices =
            [
                device("16.4", daysOld: 1), device("16.4", daysOld: 3),
                device("16.4", daysOld: 1, type: "iPhone 15"),
                device("16.4", daysOld: KeptMark.daysMax + 1, type: "iPhone 14"),
                device("16.4", daysOld: -2, type: "iPhone 16 Plus"),
                #"{"name": "snapfarm-kept-mine", "type": "iPhone 16", "runtime": "18.5"}"#,
            ] + many
        let mac = try await XcodeMac(
            tests: Self.tests,
            machine: "{\"devices\": [\(devices.joined(separator: ", "))]}"
        )
        await mac.driver.removeLeftovers()
        let left = try await mac.simulators()
        let marks = left.compactMap { KeptMark(name: $0) }
        #expect(left.contains("snapfarm-kept-mine"))
        #expect(marks.count == KeptMark.countMax)
        #expect(marks.count { $0.xcode == "16.4" } == 2)
        #expect(marks.allSatisfy { (1...2).contains(KeptMark.today - $0.day) })
    }

    @Test("any other value of the setting is an error that names it")
    func unknownSetting() async throws {
        for value in ["kep", "yes", " keep"] {
            let mac = try await XcodeMac(
                tests: Self.tests,
                variables: ["SNAPFARM_SIMULATORS": value]
            )
            await #expect(throws: XcodeError.simulatorsSetting(value)) {
                try await mac.discover(mac.job())
            }
        }
        #expect(try KeptMark.isAsked("") == false)
        #expect(try KeptMark.isAsked(nil) == false)
    }

    @Test(
        "a name says which Xcode and iOS made it on which day, or is no kept one's",
        arguments: [
            ("snapfarm-kept-16.4-22F77-20783 iPhone 16 (18.5)", true),
            ("snapfarm-kept-16.4-22F77-20783", true), ("snapfarm-kept-16.4-22F77-x iPhone", false),
            ("snapfarm-kept-16.4-22F77-9999999 iPhone", false), ("snapfarm-kept-16-20783 a", false),
            ("snapfarm-kept-1-6-22F77-20783 a", false), ("snapfarm-1-2-3 iPhone", false),
            ("iPhone 16", false), ("", false),
        ]
    )
    func names(_ name: String, _ isKept: Bool) {
        let mark = KeptMark(name: name)
        #expect((mark == KeptMark(xcode: "16.4", build: "22F77", day: 20_783)) == isKept)
        #expect((mark == nil) == !isKept)
        if isKept { #expect(SimulatorName.mark(in: name) == nil) }
    }

    @Test("one is cloned by its own Xcode for its own build, while it is shut down and not too old")
    func choice() throws {
        let name = KeptMark(xcode: "16.4", build: "22F77", day: 100).name(title: "iPhone 16")
        func list(_ state: String = "Shutdown", available: Bool = true) throws -> SimulatorList {
            let json = """
                {"devicetypes": [], "runtimes": [], "devices": {"r.18": [
                   {"udid": "U", "name": "\(name)", "state": "\(state)", "isAvailable": \(available),
                    "deviceTypeIdentifier": "t.16"}]}}
                """
            return try #require(SimulatorList(Data(json.utf8)))
        }
        func model(_ type: String = "t.16", _ runtime: String = "r.18", _ build: String? = "22F77")
            -> SimulatorModel
        { SimulatorModel(title: "iPhone 16", type: type, runtime: runtime, build: build) }
        let there = try list()
        #expect(there.kept(for: model(), by: "16.4", today: 101) == "U")
        #expect(there.canKeep(model(), by: "16.4", today: 101) == false)
        for other in [model("t.15"), model("t.16", "r.17"), model("t.16", "r.18", "22F78")] {
            #expect(there.kept(for: other, by: "16.4", today: 101) == nil)
            #expect(there.canKeep(other, by: "16.4", today: 101))
        }
        #expect(there.kept(for: model("t.16", "r.18", nil), by: "16.4", today: 101) == nil)
        #expect(there.kept(for: model(), by: "16.3", today: 101) == nil)
        for day in [99, 101 + KeptMark.daysMax] {
            #expect(there.kept(for: model(), by: "16.4", today: day) == nil)
        }
        #expect(try list("Booted").kept(for: model(), by: "16.4", today: 101) == nil)
        #expect(try list(available: false).kept(for: model(), by: "16.4", today: 101) == nil)
        #expect(try list(available: false).outdatedKept(today: 101) == ["U"])
        #expect(try list("Booted").outdatedKept(today: 101) == [])
    }
}
