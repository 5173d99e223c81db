// Tests of `publish` in a pipeline file.
import FarmCore
import FarmDrivers
import Testing

@testable import FarmPipeline

@Suite("The place of published reports in a pipeline file")
struct PublishInPipelineTests {
    private static func decode(_ publish: String) throws -> ReportDestination? {
        try PipelineDecoder.decode(
            """
            version: 1
            jobs: {unit: {kind: unit, driver: command, discover: "./list", run: "./run {tests}"}}
            publish: \(publish)
            """,
            file: "app.yaml",
            drivers: DriverCatalog.kinds
        ).publish
    }

    @Test(
        "a bucket, a folder and a command are places",
        arguments: [
            (
                "{bucket: s3://shop-reports}",
                ReportDestination(.bucket(name: "shop-reports", prefix: ""))
            ),
            (
                "{bucket: s3://reports/web/app, endpoint: \"https://s3.example.com/\", region: auto}",
                ReportDestination(
                    .bucket(name: "reports", prefix: "web/app"),
                    endpoint: "https://s3.example.com",
                    region: "auto"
                )
            ),
            (
                "{folder: ../site, address: \"https://r.example/app/\", notify: CHAT_URL}",
                ReportDestination(
                    .folder("../site"),
                    address: "https://r.example/app",
                    notify: "CHAT_URL"
                )
            ),
            ("{command: ./upload}", ReportDestination(.command("./upload"))),
        ]
    )
    func places(text: String, expected: ReportDestination) throws {
        #expect(try Self.decode(text) == expected)
    }

    @Test(
        "everything else is refused with the line and what to write",
        arguments: [
            ("{}", "publish names no place."),
            ("{bucket: s3://reports, folder: site}", "publish names bucket and folder."),
            ("{bucket: reports}", "bucket is \"reports\"."),
            ("{bucket: s3://Reports}", "bucket is \"s3://Reports\"."),
            ("{bucket: s3://reports/}", "bucket is \"s3://reports/\"."),
            ("{bucket: s3://reports/../x}", "bucket is \"s3://reports/../x\"."),
            ("{bucket: s3://reports, endpoint: \"https://h/path\"}", "endpoint is no http"),
            ("{bucket: s3://reports, region: Frankfurt!}", "region is \"Frankfurt!\"."),
            ("{folder: site, region: eu-west-1}", "region is of a bucket."),
            ("{folder: site, address: reports.example.com}", "address is no http"),
            ("{folder: site, notify: \"https://hooks.example/T0\"}", "notify is no name"),
            ("{folder: site, keep: 5}", "keep"),
        ]
    )
    func refused(text: String, words: String) throws {
        let error = #expect(throws: DocumentErrors.self) { try Self.decode(text) }
        let said = "\(try #require(error))"
        #expect(said.contains("app.yaml:3") && said.contains(words), "\(said)")
        // The address of a webhook is a secret.
        #expect(!said.contains("hooks.example"))
    }
}
