import FarmTesting
import Foundation
import Testing

extension Documented {
    @Suite("A newcomer's hour with web pages", .serialized)
    struct WebHourTests {
        @Test("deploy/web-hour.sh goes as docs/web.md says")
        func script() throws {
            let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .deletingLastPathComponent().deletingLastPathComponent()
            // The farm under test must not see these, or it would act as one shard of a CI.
            let ending = try TestProcess.run(
                ["sh", root.appending(path: "deploy/web-hour.sh").path, Program.path],
                environment: ProcessInfo.processInfo.environment.filter {
                    !$0.key.hasPrefix("CI") && !$0.key.hasPrefix("SNAPFARM")
                },
                seconds: 300
            )
            #expect(ending.status == 0, "\(ending.said)")
        }
    }
}
