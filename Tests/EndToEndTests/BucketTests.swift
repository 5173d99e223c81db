// Tests of a farm whose blobs lie in a bucket of a real S3 server: coordinator, workers and
// submitter are processes of their own, and the server dies in the middle.
import FarmAPI
import FarmCore
import FarmTesting
import Foundation
import Testing

extension ManyMachines {
    @Suite("A farm with a bucket", .serialized)
    struct BucketTests {
        private let files = FileManager.default

        private func farm(_ bucket: TestBucket, scenes: Int) throws -> Fleet {
            let names = (0..<scenes).map { "s\($0)" }
            let fleet = try Fleet(try Project(scenes: names, devices: ["A"], units: 1))
            fleet.environment = [
                "S3_ACCESS": TestBucket.accessKey, "S3_SECRET": TestBucket.secretKey,
            ]
            fleet.configuration += """

                blobs: {s3: {endpoint: "\(bucket.endpoint)", bucket: \(bucket.name), prefix: farm,
                  path-style: true, access-key: S3_ACCESS, secret-key: S3_SECRET}}
                """
            return fleet
        }

        /// Returns the blobs in the coordinator's own folder.
        private func blobsHere(_ fleet: Fleet) -> [String] {
            let names = files.enumerator(atPath: fleet.place.file("state/blobs"))
            return names?.compactMap { $0 as? String }.filter { $0.utf8.count > 60 } ?? []
        }

        @Test("runs record, differ and are looked at, with no blob at the coordinator")
        func whole() throws {
            let bucket = try TestBucket()
            let fleet = try farm(bucket, scenes: 6)
            try fleet.serve()
            _ = try fleet.startWorker("w1")
            let recorded = try fleet.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)\(fleet.log)")
            for name in ["s1", "s4"] {
                try fleet.project.folder.write("pictures/\(name).png", Project.png(shade: 3))
            }
            let red = try fleet.run()
            #expect(red.status == 1, "\(red.said)\(fleet.log)")
            let summary = try fleet.project.summary()
            #expect(summary.snapshots.filter { $0.verdict == .changed }.count == 2)
            #expect(blobsHere(fleet).isEmpty)
            #expect(try bucket.keys().count > 6)

            // The zip from the coordinator is the one that the submitter wrote.
            let digest = try #require(summary.artifacts.first?.sha256)
            let got = try fleet.submitting().run(
                [
                    "artifacts", "download", summary.run.id, "--coordinator", fleet.url, "--output",
                    "zips",
                ]
            )
            #expect(got.status == 0, "\(got.said)")
            let zip = try TestProcess.run(
                ["sha256sum", fleet.project.folder.file("zips/FailureDiffs.zip")]
            )
            #expect(zip.output.hasPrefix(digest), "\(zip.output)\(got.output)")

            // An older worker cannot follow redirects to the bucket: its bytes go through the
            // coordinator.
            let text = Data("an old worker's log".utf8)
            let path = "/api/v1/blobs/\(Digest(of: text).hex)"
            let token = try fleet.token("work")
            let put = try fleet.call("PUT", path, token: token, version: Routes.version, body: text)
            #expect(put?.status == 200)
            let read = try fleet.call(
                "GET",
                path,
                token: try fleet.token("submit"),
                version: Routes.version
            )
            #expect(read?.status == 200 && read?.body == text)
            let followed = try fleet.call(
                "GET",
                path,
                token: try fleet.token("submit"),
                headers: ["Snapfarm-Follows: 1"]
            )
            #expect(followed?.status == 307)
            // A bucket would tell another team whether the blob is there.
            let bound = try fleet.program.run(
                ["tokens", "create", "web", "--data", "state", "--scope", "submit"]
                    + ["--pipeline", "web-*"]
            )
            let place = try fleet.call(
                "POST",
                path + "/place",
                token: bound.output.trimmingCharacters(in: .whitespacesAndNewlines),
                body: Data("{\"bytes\":\(text.count)}".utf8)
            )
            #expect(place?.text == "{\"isThere\":false}", "\(place?.text ?? "-")")

            // Other commands name the bucket that they do not read.
            let checked = try fleet.program.run(["check", "--deep", "--data", "state"])
            #expect(checked.status == 0 && checked.output.contains("not looked at: s3 http"))
            let backup = try fleet.program.run(
                ["backup", "--config", "farm.yaml", "--to", "backups"]
            )
            #expect(backup.status == 0 && backup.output.contains("which is not copied: s3 http"))
            let second = try fleet.program.run(
                ["serve", "--config", "farm.yaml", "--data", "second", "--port", "0"]
            )
            #expect(second.status == 78 && second.errors.contains("another farm has its blobs"))
            // The second farm may then choose another prefix.
            #expect(!files.fileExists(atPath: fleet.place.file("second/blobs.bucket")))
            try look(into: bucket, of: fleet, summary.run.id)
            #expect(try fleet.stop().status == 0)
            let pruned = try fleet.program.run(["artifacts", "prune", "--data", "state"])
            #expect(pruned.status == 78 && pruned.errors.contains("lie in a bucket"))
            fleet.configuration = fleet.configuration.components(separatedBy: "\nblobs:")[0]
            try fleet.place.write("farm.yaml", fleet.configuration)
            let refused = try fleet.program.run(["serve", "--config", "farm.yaml"])
            #expect(refused.status == 78 && refused.errors.contains("blobs.bucket"))
            // A wrong address at the first start is not kept.
            fleet.configuration += """

                blobs: {s3: {endpoint: "http://127.0.0.1:1", bucket: none, path-style: true,
                  access-key: S3_ACCESS, secret-key: S3_SECRET}}
                """
            try fleet.place.write("farm.yaml", fleet.configuration)
            let first = try fleet.program.run(["serve", "--config", "farm.yaml", "--data", "other"])
            #expect(first.status == 69, "\(first.said)")
            #expect(!files.fileExists(atPath: fleet.place.file("other/blobs.bucket")))
        }

        /// Checks that `check` reads the bucket if it gets the coordinator's configuration.
        private func look(into bucket: TestBucket, of fleet: Fleet, _ run: String) throws {
            let check = ["check", "--config", "farm.yaml"]
            let sound = try fleet.program.run(check + ["--deep"])
            #expect(sound.status == 0, "\(sound.said)")
            #expect(sound.output.contains("blobs read\nits blobs lie in a bucket: s3 http"))
            let keys = try bucket.keys()
            for key in keys { try bucket.overwrite(key, "other") }
            let broken = try fleet.program.run(check)
            #expect(broken.status == 1 && broken.output.contains("blob-size"), "\(broken.output)")
            let download = try fleet.submitting().run(
                ["artifacts", "download", run, "--coordinator", fleet.url, "--output", "damaged"]
            )
            let words = "have changed where it is stored"
            #expect(download.errors.contains(words), "\(download.said)")
            for key in keys { try bucket.delete(key) }
            let gone = try fleet.program.run(check)
            #expect(gone.status == 1 && gone.output.contains("blob-missing"), "\(gone.output)")
        }

        @Test("a server that dies in the middle and comes back costs no verdict")
        func killed() throws {
            let bucket = try TestBucket()
            let fleet = try farm(bucket, scenes: 40)
            try fleet.serve()
            for worker in ["w1", "w2"] { _ = try fleet.startWorker(worker) }
            let running = try fleet.submitting().start(
                ["run", "app.yaml", "--coordinator", fleet.url, "--mode", "record"]
            )
            #expect(running.wait(seconds: 40) { (try? bucket.keys().count) ?? 0 > 8 })
            bucket.kill()
            Thread.sleep(forTimeInterval: 2)
            try bucket.start()
            let ended = running.ending(within: 90)
            #expect(ended.status == 0, "\(ended.said)\(fleet.log)")
            let summary = try fleet.project.summary()
            #expect(summary.snapshots.count == 40 && summary.tests.count == 41)
            // A record run takes each new picture twice; a third attempt would come from the
            // outage.
            #expect(summary.tests.allSatisfy { $0.verdict == .passed && $0.attempts <= 2 })
            let green = try fleet.run(["--output", "green"])
            #expect(green.status == 0, "\(green.said)")
        }
    }
}
