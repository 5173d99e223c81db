// Tests of `publish:`: reports that keep their address in a bucket, in a folder, or by a command.
import FarmCore
import FarmReports
import FarmTesting
import Foundation
import Testing

extension EndToEnd {
    @Suite("Published reports", .serialized)
    struct PublishedReportsTests {
        /// A chat that takes every line.
        private static func chat() throws -> ScriptedListener {
            try ScriptedListener { _ in
                .last("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok")
            }
        }

        /// Returns a project whose `two` differs from its reference, with `publish:` in its file.
        private static func changed(_ publish: String) throws -> Project {
            let project = try Project(devices: ["A"])
            let text = project.text("app.yaml")
            try project.folder.write("app.yaml", text + "\npublish: {\(publish)}\n")
            let recorded = try project.run(["--mode", "record"])
            try #require(recorded.status == 0, "\(recorded.said)")
            try project.folder.write("pictures/two.png", Project.png(shade: 200))
            return project
        }

        private static func files(below folder: String) -> [String] {
            let walk = FileManager.default.enumerator(atPath: folder)
            return walk?.compactMap { $0 as? String }.sorted() ?? []
        }

        private static func names(in folder: String) -> [String] {
            (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        }

        private static let ci = [
            "CIRCLECI": "true", "CI": "true", "CIRCLE_WORKFLOW_ID": "w-1", "CIRCLE_BRANCH": "main",
            "CIRCLE_BUILD_URL": "https://ci/1",
        ]

        @Test("a release's report gets an address in a bucket, an index, a line in the chat")
        func bucket() throws {
            let bucket = try TestBucket()
            let chat = try Self.chat()
            let day = try ReleaseDay()
            let gitHub = try GitHubAtHand(in: day.project.folder)
            try day.project.folder.write(
                "main/app.yaml",
                ReleaseDay.pipeline
                    + "\npublish: {bucket: s3://\(bucket.name)/web, endpoint: \"\(bucket.endpoint)\", "
                    + "notify: CHAT}\n"
            )
            var environment = gitHub.environment
            environment["CHAT"] = chat.url + "/secret"
            func publish(_ left: String, _ right: String) throws -> ProcessEnding {
                try Program(folder: day.project.main, environment: environment)
                    .run(["compare", left, right, "--report", "out", "--publish"])
            }
            let without = try publish("v5.1", "v5.2")
            #expect(without.status == 78, "\(without.said)")
            #expect(without.errors.contains("AWS_ACCESS_KEY_ID"), "\(without.errors)")
            environment["AWS_ACCESS_KEY_ID"] = TestBucket.accessKey
            environment["AWS_SECRET_ACCESS_KEY"] = TestBucket.secretKey

            let ending = try publish("v5.1", "v5.2")
            #expect(ending.status == 1, "\(ending.said)")
            let place = "\(bucket.endpoint)/\(bucket.name)/web"
            let address = "\(place)/releases/v5.1...v5.2/index.html"
            #expect(ending.errors.contains("Report published: \(address)"), "\(ending.said)")
            let keys = try bucket.keys()
            let report = "web/releases/v5.1...v5.2/"
            #expect(keys.count { $0.hasPrefix(report) && $0.hasSuffix(".png") } == 27, "\(keys)")
            #expect(keys.contains(report + "reg.json") && keys.contains("web/index.html"))
            #expect(!keys.contains { $0.contains("/.") }, "\(keys)")
            let page = try bucket.answer(report + "index.html").lowercased()
            #expect(page.contains("content-type: text/html"), "\(page.prefix(500))")
            #expect(page.contains("9 changed, 231 equal; 2 never accepted"))
            #expect(
                try bucket.answer(report + "actual/\(day.neverAccepted[0])").lowercased()
                    .contains("content-type: image/png")
            )
            let line = try #require(chat.heard.last)
            #expect(
                line.contains("scooter: v5.1 → v5.2: 240 pairs: 231 the same bytes, 9 different")
            )
            #expect(line.contains("2 never accepted") && line.contains("v5.1...v5.2"), "\(line)")
            #expect(!ending.said.contains("/secret"))

            let again = try publish("v5.2", "v5.2")
            #expect(again.status == 0, "\(again.said)")
            let index = try bucket.answer("web/index.html")
            #expect(index.contains("releases/v5.1...v5.2/index.html"), "\(index.prefix(3_000))")
            #expect(index.contains("releases/v5.2...v5.2/index.html"))
        }

        @Test("the status of a release's commit is red while nobody accepted a difference")
        func releaseStatus() throws {
            let day = try ReleaseDay()
            let gitHub = try GitHubAtHand(in: day.project.folder)
            try day.project.folder.write(
                "main/app.yaml",
                ReleaseDay.pipeline
                    + "\npublish: {folder: ../reports, address: \"https://r.example\"}\n"
            )
            func publish(_ left: String, _ right: String) throws -> ProcessEnding {
                try Program(folder: day.project.main, environment: gitHub.environment)
                    .run(["compare", left, right, "--report", "out", "--publish"])
            }
            #expect(try publish("v5.1", "v5.2").status == 1)
            #expect(try gitHub.state("snapfarm/scooter (v5.1 → v5.2)") == "failure")
            let words = try gitHub.words("snapfarm/scooter (v5.1 → v5.2)")
            #expect(words?.hasSuffix("9 different; 2 never accepted") == true, "\(words ?? "")")
            #expect(try publish("v5.2", "v5.2").status == 0)
            #expect(try gitHub.state("snapfarm/scooter (v5.2 → v5.2)") == "success")
        }

        /// Prints the steps of the only job of a provider's file, but for the installation.
        private static let steps = """
            import sys, yaml
            job, = yaml.safe_load(open(sys.argv[1]))["jobs"].values()
            for step in job["steps"]:
                run = step.get("run") if isinstance(step, dict) else None
                command = run.get("command") if isinstance(run, dict) else run
                if command and "install.sh" not in command: print(command)
            """

        @Test(
            "the release jobs of the providers publish the report on a tag",
            arguments: [
                ("circleci/release.yml", "CIRCLE_TAG"), ("github/release.yml", "GITHUB_REF_NAME"),
            ]
        )
        func tag(example: String, variable: String) throws {
            let day = try ReleaseDay()
            let folder = day.project.folder
            let examples = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../pipelines").standardized.path
            try FileManager.default.createDirectory(
                atPath: day.project.main + "/pipelines",
                withIntermediateDirectories: true
            )
            try FileManager.default.copyItem(
                atPath: examples + "/release.sh",
                toPath: day.project.main + "/pipelines/release.sh"
            )
            try folder.write(
                "main/app.yaml",
                ReleaseDay.pipeline + "\npublish: {folder: ../site}\n"
            )
            try folder.write("steps.py", Self.steps)
            let bin = URL(fileURLWithPath: Program.path).deletingLastPathComponent().path
            var environment = ProcessInfo.processInfo.environment
            environment["PATH"] = bin + ":" + (environment["PATH"] ?? "")
            environment["PIPELINE"] = "app.yaml"
            func job(_ tag: String) throws -> ProcessEnding {
                environment[variable] = tag
                return try TestProcess.run(
                    [
                        "sh", "-ec",
                        "python3 ../steps.py \(examples)/\(example) > ../job && sh -eu ../job",
                    ],
                    environment: environment,
                    in: day.project.main
                )
            }
            let ending = try job("v5.2")
            #expect(ending.status == 0, "\(ending.said)")
            #expect(ending.errors.contains("releases/v5.1...v5.2/index.html"), "\(ending.said)")
            #expect(Self.names(in: folder.file("site/releases")) == ["v5.1...v5.2"])
            let first = try job("v5.1")
            #expect(first.status == 0 && first.output.contains("is the first release"))
        }

        @Test("a red run of a CI is published; comment and status lead to its report")
        func run() throws {
            let project = try Self.changed("folder: site, address: \"https://r.example/app\"")
            let gitHub = try GitHubAtHand(in: project.folder)
            let ending = try project.run(environment: gitHub.environment)
            #expect(ending.status == 1, "\(ending.said)")
            let run = try project.summary().run.id
            let address = "https://r.example/app/runs/\(run)/index.html"
            #expect(ending.errors.contains("Report published: \(address)"), "\(ending.said)")
            #expect(try gitHub.comment().contains("[report](\(address))"))
            #expect(try gitHub.page("snapfarm/app") == address)
            let files = Self.files(below: project.folder.file("site/runs/\(run)"))
            #expect(files.contains("FailureDiffs.zip") && files.contains("summary.json"))
            #expect(files.count { $0.hasSuffix(".png") } == 3, "\(files)")
            #expect(!files.contains("evidence.json"), "the zip has it")
            let zip = project.folder.file("site/runs/\(run)/FailureDiffs.zip")
            let approved = try project.program().run(["approve", "--from", zip, "--reason", "new"])
            #expect(approved.status == 0, "\(approved.said)")
            // A green run has nothing to show.
            #expect(try project.run(environment: gitHub.environment).status == 0)
            #expect(Self.names(in: project.folder.file("site/runs")).count == 1)
        }

        @Test("a run at a desk is published on demand only, and by its own name")
        func onDemand() throws {
            let project = try Self.changed("folder: site")
            #expect(try project.run().status == 1)
            #expect(!project.exists("site"))
            let run = try project.summary().run.id
            let ending = try project.program().run(["report", "--run", run])
            #expect(ending.status == 0, "\(ending.said)")
            let page = "site/runs/\(run)/index.html"
            #expect(ending.output.hasSuffix("/\(page)\n"), "\(ending.output)")
            #expect(ending.output.hasPrefix("file:///"), "\(ending.output)")
            #expect(project.text(page).contains("two") && project.exists("site/index.html"))
            try project.folder.write(
                "app.yaml",
                project.text("app.yaml").replacing("\npublish: {folder: site}", with: "")
            )
            let nowhere = try project.program().run(["report"])
            #expect(nowhere.status == 78, "\(nowhere.said)")
            #expect(nowhere.errors.contains("publish: {bucket:"), "\(nowhere.errors)")
        }

        @Test("a command uploads, and its last line is the address; its failure turns no run red")
        func command() throws {
            let script = """
                command: "mkdir -p up && cp -r \\"$SNAPFARM_REPORT\\" up/here && \
                echo \\"$SNAPFARM_REPORT_NAME\\" > up/name && echo https://up.example/x; exit $(cat code)"
                """
            let project = try Self.changed(script)
            try project.folder.write("code", "0")
            let ending = try project.run(environment: Self.ci)
            #expect(ending.status == 1, "\(ending.said)")
            #expect(ending.errors.contains("Report published: https://up.example/x\n"))
            #expect(project.text("up/name") == "runs/\(try project.summary().run.id)\n")
            #expect(
                project.exists("up/here/index.html") && project.exists("up/here/FailureDiffs.zip")
            )
            try project.folder.write("code", "7")
            let failed = try project.run(environment: Self.ci)
            #expect(failed.status == 1, "\(failed.said)")
            #expect(failed.errors.contains("the report is not published:"), "\(failed.errors)")
            #expect(failed.errors.contains("ended with status 7"), "\(failed.errors)")
        }

        @Test("machines that publish at the same time are all in the index")
        func race() throws {
            let project = try Self.changed("folder: site")
            var runs: [String] = []
            for _ in 0..<3 {
                #expect(try project.run().status == 1)
                runs.append(try project.summary().run.id)
            }
            // Each machine has a data folder of its own.
            for (number, _) in runs.enumerated() {
                try FileManager.default.copyItem(
                    atPath: project.folder.file(".snapfarm"),
                    toPath: project.folder.file("data\(number)")
                )
            }
            let started = try runs.enumerated().map { number, run in
                try project.program().start(["report", "--run", run, "--data", "data\(number)"])
            }
            for report in started {
                let ending = report.ending(within: 60)
                #expect(ending.status == 0, "\(ending.said)")
            }
            let index = project.text("site/index.html")
            for run in runs { #expect(index.contains("runs/\(run)/index.html"), "\(index)") }
        }

        @Test(
            "in a browser, the index leads to a report whose pictures load",
            .enabled(if: TestBrowser.isInstalled, "needs: apt-get install -y chromium-driver")
        )
        func browser() throws {
            let project = try Self.changed("folder: site")
            #expect(try project.run().status == 1)
            #expect(try project.program().run(["report"]).status == 0)
            let browser = try TestBrowser()
            try browser.open("file://\(project.folder.file("site/index.html"))")
            #expect(
                try browser.text("document.querySelectorAll('table.runs tbody tr').length") == "1"
            )
            try browser.click("table.runs a")
            let loaded =
                "[...document.querySelectorAll('.change img')].some(i => i.naturalWidth > 0)"
            #expect(try browser.waits(for: loaded))
        }
    }
}
