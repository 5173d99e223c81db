// The entry point of all tests. They are Swift Testing's; without this file SwiftPM looks for XCTest's
// classes in an index of every source file, and writing that index takes a quarter of the build.
import Testing

@main
struct TestRunner {
    static func main() async {
        // `swift test` starts the program for XCTest, too, which has no tests here.
        guard CommandLine.arguments.contains("swift-testing") else { return }
        await Testing.__swiftPMEntryPoint() as Never
    }
}
