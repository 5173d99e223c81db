// A real S3 server for tests: SeaweedFS from PyPI, installed below .build by
// deploy/system-packages.sh with a pinned digest. Without it a test fails: access to buckets must
// not go untested.
import Foundation

/// A bucket on this machine; the server ends with the value.
package final class TestBucket {
    package struct NoServer: Error, CustomStringConvertible {
        package let description: String
    }

    package let name = "farm-blobs"
    package static let accessKey = "sfkey"
    package static let secretKey = "sfsecret"

    private let folder: TemporaryFolder
    private let ports: [Int]
    private var server: TestProcess?

    package var endpoint: String { "http://127.0.0.1:\(ports[0])" }

    private static let program: String = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return root.path + "/.build/test-tools/bin/weed"
    }()

    /// Starts a server with a bucket.
    package init() throws {
        guard FileManager.default.isExecutableFile(atPath: Self.program) else {
            throw NoServer(
                description: "no \(Self.program): run deploy/system-packages.sh test"
            )
        }
        folder = try TemporaryFolder("bucket")
        ports = try (0..<8).map { _ in try TestPort.reserved() }
        try folder.write(
            "s3.json",
            """
            {"identities": [{"name": "farm", "actions": ["Admin", "Read", "Write", "List"],
              "credentials": [{"accessKey": "\(Self.accessKey)", "secretKey": "\(Self.secretKey)"}]}]}
            """
        )
        try folder.write("data/none", "")
        try start()
        let made = try curl(["-X", "PUT", "\(endpoint)/\(name)"])
        guard made.status == 0 else { throw NoServer(description: made.errors + made.output) }
    }

    /// Starts the server, also after `kill`, and waits until it answers.
    package func start() throws {
        let server = try TestProcess(
            [
                Self.program, "server", "-ip=127.0.0.1", "-ip.bind=127.0.0.1",
                "-dir=\(folder.file("data"))", "-master.volumeSizeLimitMB=64", "-volume.max=30",
                // Services beside S3 use fixed ports, the same in every server.
                "-s3.port.iceberg=0", "-s3.port.lance=0",
                "-s3", "-s3.port=\(ports[0])", "-s3.port.grpc=\(ports[1])",
                "-s3.config=\(folder.file("s3.json"))", "-filer", "-filer.port=\(ports[2])",
                "-filer.port.grpc=\(ports[3])", "-master.port=\(ports[4])",
                "-master.port.grpc=\(ports[5])", "-volume.port=\(ports[6])",
                "-volume.port.grpc=\(ports[7])",
            ],
            in: folder.path
        )
        self.server = server
        // 403: the server refuses requests without a signature.
        let answers = server.wait(seconds: 60) {
            let words = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", endpoint + "/"]
            return (try? TestProcess.run(words, seconds: 5).output) == "403"
        }
        guard answers else { throw NoServer(description: server.errors.suffix(2_000).description) }
    }

    /// Ends the server as a power cut does.
    package func kill() { server?.kill() }

    /// Freezes the server: it neither answers nor ends.
    package func freeze() { if let server { killpg(server.pid, SIGSTOP) } }
    package func thaw() { if let server { killpg(server.pid, SIGCONT) } }

    /// Returns the keys in the bucket.
    package func keys() throws -> [String] {
        let listed = try curl(["\(endpoint)/\(name)?list-type=2&max-keys=1000"])
        return listed.output.components(separatedBy: "<Key>").dropFirst().compactMap {
            $0.components(separatedBy: "</Key>").first
        }
    }

    /// Reads an object with its headers, as an answer of HTTP.
    package func answer(_ key: String) throws -> String {
        try curl(["-i", "\(endpoint)/\(name)/\(key)"]).output
    }

    /// Overwrites an object behind the farm's back.
    package func overwrite(_ key: String, _ text: String) throws {
        let file = try folder.write("overwritten", text)
        _ = try curl(["-T", file, "\(endpoint)/\(name)/\(key)"])
    }

    package func delete(_ key: String) throws {
        _ = try curl(["-X", "DELETE", "\(endpoint)/\(name)/\(key)"])
    }

    /// Makes a call with curl, which signs the request independently of our code.
    private func curl(_ words: [String]) throws -> ProcessEnding {
        try TestProcess.run(
            [
                "curl", "-sS", "--fail-with-body", "--aws-sigv4", "aws:amz:us-east-1:s3", "--user",
                "\(Self.accessKey):\(Self.secretKey)",
            ] + words,
            seconds: 30
        )
    }
}
