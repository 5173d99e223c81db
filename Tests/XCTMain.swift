// The entry point of all tests. They are Swift Testing's; without this file SwiftPM looks for XCTest's
// classes in an index of every source file, and writing that index takes a quarter of the build.
import Foundation
import Testing

@main
struct TestRunner {
    static func main() async {
        guard CommandLine.arguments.contains("swift-testing") else {
            // Without these options SwiftPM starts the program for tests of XCTest only. There are
            // none, so exit code 0 would report success although no test ran.
            let words = "run `make test`, or `swift test --enable-swift-testing --disable-xctest`\n"
            FileHandle.standardError.write(Data(words.utf8))
            exit(64)
        }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
