import FarmCore
import FarmTesting
import Foundation
import Testing

@testable import FarmRun

@Suite("What workers that join a fleet offer")
struct LocalOfferTests {
    @Test("beside the words of the command line, they say what draws pictures on their machine")
    func joining() async throws {
        let folder = try TemporaryFolder("joining")
        for (name, words) in [("shell", "Chromium 148.0.1"), ("driver", "ChromeDriver 148.0.1")] {
            let program = try folder.write(name, "#!/bin/sh\necho \(words)\n")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
        }
        var environment = [
            "PATH": "/usr/bin:/bin", "SNAPFARM_CHROMIUM": folder.file("shell"),
            "SNAPFARM_CHROMEDRIVER": folder.file("driver"),
        ]
        let said = ["lab", "renderer.webdriver.fonts=ours"]
        let words = try await LocalOffer.joining(said, environment: environment)
        #expect(words.prefix(2) == said[...])
        #expect(words.contains("renderer.webdriver.browser=Chromium 148.0.1 shell"), "\(words)")
        let offer = try LocalOffer.said(words)
        #expect(offer.renderer(of: "webdriver")["fonts"] == "ours")
        environment["SNAPFARM_CHROMIUM"] = "/none"
        #expect(try await LocalOffer.joining(said, environment: environment) == said)
    }
}
