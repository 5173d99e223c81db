// Outputs for Bitrise. Deploy folder: one zip, because Bitrise does not upload subfolders. HTML
// reports: the folder of differences, whose page needs no network. Test reports: a folder `<name>/`
// with test-info.json, results.xml and the pictures that the XML names as attachments.
import FarmCore
import Foundation

enum BitriseDelivery {
    /// The most pictures that are copied beside the XML of one test report.
    static let attachmentsMax = 300

    private struct TestInfo: Encodable {
        let name: String

        enum CodingKeys: String, CodingKey {
            case name = "test-name"
        }
    }

    static func plan(
        _ summary: RunSummary,
        _ outputs: CIOutputs,
        sinks: [CISink: String]
    ) -> [CIDelivery] {
        var steps: [CIDelivery] = []
        if let folder = sinks[.deployFolder] {
            steps += summary.artifacts.filter { $0.name == "FailureDiffs.zip" }.map {
                .copyFile(from: "\(outputs.folder)/\($0.name)", to: "\(folder)/\($0.name)")
            }
        }
        if let reports = sinks[.htmlReports],
            summary.artifacts.contains(where: { $0.name == "FailureDiffs.zip" })
        {
            let name = folderName(summary.run.pipeline)
            steps.append(
                .copyFolder(from: "\(outputs.folder)/FailureDiffs", to: "\(reports)/\(name)")
            )
        }
        if let results = sinks[.testResults] {
            let folder = "\(results)/\(folderName(summary.run.pipeline))"
            steps.append(
                .writeFile(
                    path: "\(folder)/test-info.json",
                    text: testInfo(summary.run.pipeline)
                )
            )
            steps.append(
                .copyFile(from: "\(outputs.folder)/junit.xml", to: "\(folder)/results.xml")
            )
            steps += attachments(summary).map {
                .copyFile(from: "\(outputs.folder)/\($0)", to: "\(folder)/\($0)")
            }
        }
        return steps
    }

    private static func testInfo(_ name: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let bytes = (try? encoder.encode(TestInfo(name: name))) ?? Data("{}".utf8)
        return String(decoding: bytes, as: UTF8.self) + "\n"
    }

    /// Returns the paths of the picture files that the JUnit report names: those of pictures that
    /// are not as expected, at most `attachmentsMax`.
    private static func attachments(_ summary: RunSummary) -> [String] {
        let paths = summary.snapshots.filter { !$0.verdict.isAsExpected }.flatMap { picture in
            ["diff", "failed", "reference"].compactMap { picture.files[$0] }
        }
        return Array(paths.filter(isPlain).prefix(attachmentsMax))
    }

    /// Whether a path is relative and without `..`, so that a name from a test stays below the
    /// folder.
    private static func isPlain(_ path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .allSatisfy {
                !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            }
    }

    /// Returns a pipeline's name as a folder's name: unsafe characters are replaced.
    private static func folderName(_ name: String) -> String {
        let safe = name.unicodeScalars.map { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_ .".unicodeScalars.contains(scalar) ? Character(scalar) : "-"
        }
        let trimmed = String(safe.prefix(60)).trimmingCharacters(
            in: CharacterSet(charactersIn: " .")
        )
        return trimmed.isEmpty ? "snapfarm" : trimmed
    }
}
