// Tests of `snapfarm refs catalogue` on a real store.
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("The catalogue from the command line", .serialized)
    struct RefsCatalogueTests {
        @Test("a catalogue shows any set, and what the app has no picture of")
        func catalogue() throws {
            let project = try ReferencesProject.imported()
            try project.draw("four", shade: 90)
            try project.refsSucceed("commit")
            try project.folder.write(
                "main/app.yaml",
                ReferencesProject.pipeline + "\nscreens: screens.txt\n"
            )
            try project.folder.write("main/screens.txt", "# all\nCheckout/one\nCheckout/card\n")
            let written = try project.refs("catalogue", "--output", "out")
            #expect(written.status == 0, "\(written.said)")
            #expect(written.output.contains("1 of 2 screens has a picture; without: Checkout/card"))
            #expect(written.output.contains("4 pictures in \(project.main)/out/index.html"))
            func files(_ folder: String) throws -> [String] {
                try FileManager.default.contentsOfDirectory(atPath: project.main + "/out/" + folder)
            }
            #expect(try files("pictures").count == 4 && files("thumbs").count == 4)
            let page = try String(contentsOfFile: project.main + "/out/index.html", encoding: .utf8)
            #expect(page.contains("4 pictures of 4 screens"))

            // Another set replaces everything in the folder.
            let earlier = try project.refs("catalogue", "HEAD", "--output", "out", "--json")
            #expect(earlier.status == 0, "\(earlier.said)")
            #expect(earlier.output.contains("\"pictures\" : 3"))
            #expect(try files("pictures").count == 3 && files("thumbs").count == 3)
            // A folder that is no catalogue is not touched.
            let refused = try project.refs("catalogue", "--output", ".")
            #expect(refused.status == 64 && refused.errors.contains("no catalogue"))
            let unknown = try project.refs("catalogue", "--output", "out", "--language", "xx")
            #expect(unknown.status == 64 && unknown.errors.contains("en, ja"))
            #expect(try project.storeIsClean())
        }
    }
}
