// Tests of scenes on a fleet: either the files that their pages need are in the bundle, or the run
// is refused before anything is sent.
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("Scenes on a fleet", .serialized)
    struct FleetScenesTests {
        /// Returns a fleet whose only job shows one page of `folder` with a stylesheet beside it.
        ///
        /// The scenes file is the one of README, beside the pipeline file.
        private func fleet(pagesIn folder: String) throws -> Fleet {
            let fleet = try Fleet.showing(
                "scenes: [{suite: Home, name: start, file: \(folder)start.html}]\n"
            )
            let project = fleet.project.folder
            try project.write(
                "\(folder)start.html",
                "<!doctype html><link rel=stylesheet href=start.css><p>start"
            )
            try project.write("\(folder)start.css", "body { background: teal }")
            return fleet
        }

        @Test("a scenes file beside the pipeline file brings its pages and the folders they lie in")
        func travelling() throws {
            let fleet = try fleet(pagesIn: "web/")
            try expectGreen(fleet, files: 3, pictures: 1)
        }

        @Test("the folders that `serve` and `storybook` name travel, whatever the scenes file says")
        func served() throws {
            let fleet = try fleet(pagesIn: "unused/")
            let project = fleet.project.folder
            let more = "\n    serve: {folder: dist}\n    storybook: stories\n"
            try project.write("app.yaml", fleet.project.text("app.yaml") + more)
            try project.write(
                "screens.yaml",
                "scenes: [{suite: Home, name: start, url: /shop/start.html}]\n"
            )
            try project.write(
                "dist/shop/start.html",
                "<!doctype html><link rel=stylesheet href=/css/start.css><p>start"
            )
            try project.write("dist/css/start.css", "body { background: teal }")
            let story = #"{"id": "a--b", "title": "Forms", "name": "Button", "type": "story"}"#
            try project.write("stories/index.json", #"{"v": 5, "entries": {"a--b": \#(story)}}"#)
            try project.write("stories/iframe.html", Self.iframe)
            try project.write("stories/assets/a.js", "document.body.append('drawn')")
            try expectGreen(fleet, files: 6, pictures: 2)
        }

        /// Checks that pictures recorded here are the same on a worker that gets only so many
        /// files.
        private func expectGreen(_ fleet: Fleet, files: Int, pictures: Int) throws {
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let worker = try fleet.startWorker("far")
            let ending = try fleet.run()
            #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            // A killed worker would leave its browser behind.
            kill(worker.pid, SIGTERM)
            #expect(worker.ending(within: 20).status == 0)
            #expect(ending.errors.contains("\(files) files"), "\(ending.said)")
            #expect(try fleet.project.summary().counts.passed == pictures)
            #expect(try fleet.stop().status == 0)
        }

        /// The parts of Storybook's page that other tools rely on.
        private static let iframe = """
            <!doctype html><body class=sb-show-main><script src=assets/a.js></script><script>
            globalThis.__STORYBOOK_ADDONS_CHANNEL__ = {
              last: (name) => name === "storyRendered" ? ["a--b"] : undefined};
            </script>
            """

        @Test("a file that no job's bundle has is said with the job before anything is sent")
        func missing() throws {
            let fleet = try fleet(pagesIn: "web/")
            let other = """

                  units:
                    kind: unit
                    driver: command
                    discover: echo one
                    run: "true"
                    bundle: [nothing/**]
                """
            let both = fleet.project.text("app.yaml") + other
            try fleet.project.folder.write("app.yaml", both)
            #expect(
                try fleet.project.run(["--mode", "record", "--select", "job=shots"]).status == 0
            )
            try fleet.serve()
            let refused = try fleet.run()
            #expect(refused.status == 65, "\(refused.said)")
            #expect(refused.errors.contains("job units: no file of the work tree matches"))
            #expect(!refused.errors.contains("sending the bundle"), "\(refused.said)")
            #expect(try fleet.stop().status == 0)
        }

        @Test("a page beside the pipeline file is refused with the line to add, and then travels")
        func besides() throws {
            let fleet = try fleet(pagesIn: "")
            #expect(try fleet.project.run(["--mode", "record"]).status == 0)
            try fleet.serve()
            let refused = try fleet.run()
            #expect(refused.status == 65, "\(refused.said)")
            #expect(refused.errors.contains("bundle: [\"start.html\""), "\(refused.said)")
            #expect(!refused.errors.contains("sending the bundle"))
            let named = fleet.project.text("app.yaml") + "\n    bundle: [start.*]\n"
            try fleet.project.folder.write("app.yaml", named)
            let worker = try fleet.startWorker("far")
            let ending = try fleet.run()
            #expect(ending.status == 0, "\(ending.said)\n\(worker.errors)\n\(fleet.log)")
            // A killed worker would leave its browser behind.
            kill(worker.pid, SIGTERM)
            #expect(worker.ending(within: 20).status == 0)
            #expect(try fleet.stop().status == 0)
        }
    }
}
