// Tests of the last lines of the script that runs the tests.
import Foundation
import Testing

@Suite("The script that runs the tests")
struct TestScriptTests {
    @Test("what was skipped is said again at the end, also where nothing failed")
    func skipped() throws {
        let lines = [
            #"➜ Suite "on real pictures" skipped: "the corpus is missing""#,
            #"✔ Test "another" passed after 0.1 seconds."#,
        ]
        let script = Process()
        script.executableURL = URL(fileURLWithPath: "/bin/sh")
        script.arguments = [
            Repository.root + "/deploy/tests.sh", "printf", #"%s\n"#, lines[0], lines[1],
        ]
        let output = Pipe()
        script.standardOutput = output
        try script.run()
        let said = try output.fileHandleForReading.readToEnd() ?? Data()
        script.waitUntilExit()
        #expect(script.terminationStatus == 0)
        let text = String(decoding: said, as: UTF8.self)
        let end = text.split(separator: "== what was skipped ==\n").last.map(String.init)
        #expect(end == lines[0] + "\n", "\(text)")
    }
}
