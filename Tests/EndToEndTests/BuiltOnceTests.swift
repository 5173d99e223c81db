import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    /// Tests of "One build, six CI jobs" in docs/ios.md, on a stand-in for a Mac
    /// (Tests/XcodeStandIn).
    @Suite("An app that one job of a CI builds for the others", .serialized)
    struct BuiltOnceTests {
        private let place: AppPlace

        /// Makes the app with snapfarm, its pipeline file and its references.
        init() throws {
            place = try AppPlace()
            try place.folder.write("app/.gitignore", ".snapfarm/\nout/\nsnapfarm-out/\n")
            let sections = ["Install", "Write the pipeline file", "One build, six CI jobs"]
            for block in try Guide("ios.md").blocks where sections.contains(block.section) {
                if let file = block.file { try place.folder.write("app/" + file, block.text) }
            }
            _ = try place.run("sh ci/install-snapfarm.sh")
            _ = try place.run("snapfarm refs init")
            _ = try place.run("snapfarm run snapfarm.yaml --mode record")
            _ = try place.run("snapfarm refs push")
            _ = try place.commitAll("Snapshot tests")
        }

        /// Returns the commands and paths of a job of the guide's configuration, in their order.
        private func steps(of job: String) throws -> [AppPlace.Step] {
            try place.steps(
                """
                for step in config["\(job)"]["steps"][1:]:
                    kind, value = next(iter(step.items()))
                    if kind == "run":
                        show("run", value)
                    elif kind == "persist_to_workspace":
                        assert value["root"] == ".", value
                        show("hand on", " ".join(value["paths"]))
                    else:
                        assert value == {"at": "."}, step
                        show("attach", value["at"])
                """,
                of: ".circleci/config.yml"
            )
        }

        /// Runs a job of the guide for a device and returns its output.
        ///
        /// The job starts with the files that another machine handed on, and nothing else of its
        /// state.
        private func run(_ job: String, device: String = "") throws -> String {
            try steps(of: job).map { step in
                switch step.kind {
                case "hand on": try place.run("tar -cf ../handed-on.tar \(step.text)")
                case "attach": try place.run("rm -rf .snapfarm && tar -xf ../handed-on.tar")
                default:
                    try place.run(step.text.replacing("<< parameters.device >>", with: device))
                }
            }.joined()
        }

        @Test("is built and listed once, and the job of each device runs what was handed on")
        func builtOnce() throws {
            let tools = ["xcodebuild build-for-testing", "xcodebuild enumerate"]
            let before = try tools.map { try place.calls(of: $0) }
            let built = try run("build")
            #expect(built.contains("unit (2 tests), screens (2 tests): .snapfarm/xcode/App-"))
            #expect(built.contains("- .snapfarm/xcode/*/Build/Products\n"), "\(built)")
            for device in ["iPhone 16 (18.5)", "iPad Pro 11-inch (M4) (18.5)"] {
                let said = try run("screens", device: device)
                #expect(said.contains("passed: 2 tests as expected"), "\(said)")
            }
            _ = try place.run("snapfarm plan snapfarm.yaml --built")
            #expect(try tools.map { try place.calls(of: $0) } == before.map { $0 + 1 })
            #expect(try place.simulatorsLeft() == "")
        }

        @Test("is refused where it was built otherwise, or built again since")
        func refused() throws {
            _ = try run("build")
            _ = try place.run(
                "sed 's/scheme: App/scheme: App\\n    configuration: Release/' snapfarm.yaml > r.yaml"
            )
            let other = try place.run("snapfarm run r.yaml --built", status: 78)
            #expect(other.contains("with another `driver`"), "\(other)")
            _ = try place.run("snapfarm run snapfarm.yaml")
            let again = try place.run("snapfarm run snapfarm.yaml --built", status: 78)
            #expect(again.contains("there is no record of a build"), "\(again)")
        }
    }
}
