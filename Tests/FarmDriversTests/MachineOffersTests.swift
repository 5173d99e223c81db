import FarmCore
import FarmDrivers
import FarmTesting
import Foundation
import Testing

@Suite("What a machine offers")
struct MachineOffersTests {
    private func found(_ pairs: [(name: String, value: String)]) -> [String] {
        pairs.map { "\($0.name)=\($0.value)" }
    }

    @Test("system and architecture are known without a program")
    func system() {
        let machine = MachineOffers(environment: [:], platform: "linux-x86_64")
        #expect(found(machine.system()).prefix(2) == ["os=linux", "arch=x86_64"])
    }

    @Test("the browser is offered with its driver, in the versions they say themselves")
    func browser() async throws {
        let folder = try TemporaryFolder("offers")
        try folder.program("shell", "echo Chromium 134.0.1 built on here")
        try folder.program("driver", "echo 'ChromeDriver 134.0.2 (abc)'")
        try folder.program("silent", "exit 3")
        try folder.program("slow", "sleep 60")
        func offers(_ driver: String, seconds: Double = 60) async -> [String] {
            let machine = MachineOffers(
                environment: [
                    "PATH": "/usr/bin:/bin", "SNAPFARM_CHROMIUM": folder.file("shell"),
                    "SNAPFARM_CHROMEDRIVER": folder.file(driver),
                ],
                platform: "linux-x86_64",
                seconds: seconds
            )
            return found(await machine.programs())
        }
        #expect(await offers("driver") == ["chromium=134.0.1", "chromedriver=134.0.2"])
        for broken in ["silent", "none"] { #expect(await offers(broken).isEmpty) }
        #expect(await offers("slow", seconds: 1).isEmpty)
    }

    @Test("a Mac's Xcode and simulators come from stand-ins for Apple's tools")
    func apple() async throws {
        let folder = try TemporaryFolder("apple")
        try folder.program("xcodebuild", "printf 'Xcode 15.4\\nBuild version 15F31d\\n'")
        let runtime = "com.apple.CoreSimulator.SimRuntime.iOS-17-5"
        let list = """
            {"devicetypes": [],
             "runtimes": [{"identifier": "\(runtime)", "name": "iOS 17.5", "version": "17.5"}],
             "devices": {"\(runtime)": [
              {"udid": "1", "name": "iPhone 8", "state": "Shutdown"},
              {"udid": "2", "name": "snapfarm-1-2-3 iPhone 8", "state": "Booted"}]}}
            """
        try folder.write("list.json", list)
        try folder.program("xcrun", "cat \(folder.file("list.json"))")
        let machine = MachineOffers(
            environment: [
                "PATH": folder.path + ":/usr/bin:/bin", "SNAPFARM_CHROMIUM": "/none",
                "SNAPFARM_XCODES": folder.path,
            ],
            platform: "macos-arm64"
        )
        #expect(
            found(await machine.programs()) == [
                "xcode=15.4", "ios=17.5", "simulator=iPhone 8", "simulator=iPhone 8 (17.5)",
            ]
        )
    }
}

extension TemporaryFolder {
    fileprivate func program(_ name: String, _ body: String) throws {
        try write(name, "#!/bin/sh\n" + body + "\n")
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755],
            ofItemAtPath: file(name)
        )
    }
}
