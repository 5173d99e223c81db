// Tests of the proposals of `snapfarm init` for layouts of real projects, given as file names with
// the few texts that it reads. The program accepts every proposed pipeline file.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

@testable import FarmDrivers
@testable import FarmPipeline

@Suite("Setting up a repository")
struct SetupTests {
    private static let scheme = """
        <Scheme><TestAction><Testables>
        <TestableReference skipped = "NO"><BuildableReference BlueprintName = "ShopTests">
        </BuildableReference></TestableReference>
        <TestableReference skipped = "NO"><BuildableReference BlueprintName = "ShopSnapshotTests">
        </BuildableReference></TestableReference>
        <TestableReference skipped = "YES"><BuildableReference BlueprintName = "OldTests">
        </BuildableReference></TestableReference>
        </Testables></TestAction></Scheme>
        """

    /// The file names of real kinds of projects.
    enum Layout: String, CaseIterable {
        case appWithFastlane, appWithPointFree, appWithoutScheme, package, playwright, jest,
            storybook, builtStorybook, backstop, lostPixel, gradle, plots, maven, node
        case site, empty, jestTexts, maestro

        var files: [String: String] {
            switch self {
            case .appWithFastlane:
                [
                    "Shop.xcworkspace/contents.xcworkspacedata": "",
                    "Shop.xcodeproj/project.pbxproj": "",
                    "Shop.xcodeproj/xcshareddata/xcschemes/Shop.xcscheme": SetupTests.scheme,
                    "Pods/Pods.xcodeproj/project.pbxproj": "",
                    "ShopTests/PriceTests.swift": "import XCTest",
                    "ShopSnapshotTests/CartTests.swift": "import FBSnapshotTestCase",
                    "ShopSnapshotTests/ReferenceImages_64/Shop.CartTests/testEmpty@2x.png": "",
                    "fastlane/Snapfile": """
                    # devices(["iPhone SE (12.2)"])
                    devices([
                      "iPhone 8 (13.1)",
                      'iPad Pro (11-inch) (13.1)', # the large one
                      "iWidget 3"
                    ])
                    languages(["en-US", "ja"])
                    """,
                    "fastlane/Fastfile":
                        "lane :tests do\n  scan(scheme: \"Shop\", devices: phones)\nend",
                    ".circleci/config.yml": "version: 2.1",
                    ".gitignore": "DerivedData/",
                ]
            case .appWithPointFree:
                [
                    "Shop.xcodeproj/project.pbxproj": "",
                    "Shop.xcodeproj/xcshareddata/xcschemes/Shop.xcscheme": SetupTests.scheme,
                    "ShopSnapshotTests/CartTests.swift": "import SnapshotTesting",
                    "ShopSnapshotTests/__Snapshots__/CartTests/testEmpty.1.png": "",
                    "ShopSnapshotTests/__Snapshots__/CartTests/testEmpty.1.txt": "",
                    "fastlane/Fastfile": """
                    lane :test do
                      scan(project: "Shop.xcodeproj", scheme: "Shop", devices: ["iPhone 16 (18.5)"])
                    end
                    """,
                ]
            case .appWithoutScheme:
                ["App.xcodeproj/project.pbxproj": "", "AppTests/Tests.swift": "import XCTest"]
            case .package:
                [
                    "Package.swift": "let p = Package(targets: [.testTarget(name: \"CoreTests\")])",
                    "Tests/CoreTests/CoreTests.swift": "import XCTest",
                    ".github/workflows/ci.yml": "on: push",
                ]
            case .playwright:
                ["package.json": "{}", "playwright.config.ts": "", "tests/home.spec.ts": ""]
            case .jest:
                ["package.json": "{\"devDependencies\": {\"jest-image-snapshot\": \"6\"}}"]
            case .jestTexts:
                [
                    "package.json": "{\"devDependencies\": {\"jest\": \"29\"}}",
                    "src/__snapshots__/cart.test.js.snap": "",
                    "node_modules/x/__snapshots__/y.snap": "",
                ]
            case .maestro: ["package.json": "{}", ".maestro/login.yaml": "appId: shop"]
            case .storybook: ["package.json": "{}", ".storybook/main.ts": ""]
            case .builtStorybook:
                [
                    "package.json": "{}", ".storybook/main.ts": "", "index.html": "",
                    "storybook-static/iframe.html": "", "storybook-static/index.json": "{}",
                ]
            case .backstop:
                [
                    "package.json": "{}", "public/index.html": "",
                    "backstop.json": #"""
                    {"id": "shop", "viewports": [{"label": "phone", "width": 320, "height": 480},
                        {"name": "tablet h", "width": 1024, "height": 768}],
                     "scenarios": [
                        {"label": "Cart: empty", "url": "http://localhost:3000/cart", "delay": 5,
                         "selectors": []},
                        {"label": "Home", "url": "public/index.html", "selectors":
                            ["document", "#top > .price"]}]}
                    """#,
                    "backstop_data/bitmaps_reference/shop_Home_0_document_0_phone.png": "",
                ]
            case .lostPixel:
                [
                    "package.json": "{}", "storybook-static/iframe.html": "",
                    "storybook-static/index.json": "{}",
                    ".lostpixel/baseline/a--b.png": "", ".lostpixel/current/a--b.png": "",
                ]
            case .gradle:
                ["app/build.gradle.kts": "plugins { id(\"app.cash.paparazzi\") }"]
            case .plots:
                [
                    "pyproject.toml": "dependencies = [\"pytest\", \"pytest-mpl\"]",
                    "tests/test_plot.py": "", "tests/baseline/plot.png": "",
                ]
            case .maven:
                ["pom.xml": "<project></project>", "src/test/java/shop/PriceTest.java": ""]
            case .node:
                [
                    "package.json": "{\"scripts\": {\"test\": \"node --test\"}}",
                    "test/price.test.js": "", "lib/rate.test.mjs": "",
                    "node_modules/a/test/a.test.js": "", "test/fixtures/page.html": "",
                    "tests/pages/index.html": "",
                ]
            case .site:
                [
                    "index.html": "", "shop/cart.html": "", "shop/Cart.html": "",
                    "node_modules/a/index.html": "", "404: not found.html": "",
                    ".gitignore": ".snapfarm/\nsnapfarm-out",
                ]
            case .empty: ["README.md": ""]
            }
        }

        var proposal: Proposal {
            let texts = files
            return SetupRules.proposal(
                for: ProjectFiles(paths: Array(texts.keys)) { texts[$0] },
                folder: "Shop App"
            )
        }
    }

    private func pipeline(_ layout: Layout) throws -> Pipeline {
        let file = try #require(layout.proposal.files.first { $0.path == "snapfarm.yaml" })
        return try PipelineDecoder.decode(
            file.text,
            file: "snapfarm.yaml",
            drivers: DriverCatalog.kinds,
            frameworks: FrameworkChoice(folder: "/nowhere")
        )
    }

    @Test("an app with fastlane gets its scheme, targets, framework, devices and languages")
    func app() throws {
        let pipeline = try pipeline(.appWithFastlane)
        #expect(pipeline.name == "shop-app")
        #expect(pipeline.devices.map(\.title) == ["iPhone 8 (13.1)", "iPad Pro (11-inch) (13.1)"])
        #expect(pipeline.axes == [VariantAxis(name: "locale", values: ["en-US", "ja"])])
        #expect(pipeline.jobs.map(\.name.text) == ["unit", "screens"])
        let settings = try pipeline.jobs.map { try XcodeKind().settings(of: $0.driver) }
        #expect(settings.map(\.workspace) == ["Shop.xcworkspace", "Shop.xcworkspace"])
        #expect(settings.map(\.scheme) == ["Shop", "Shop"])
        #expect(settings.map(\.targets) == [["ShopTests"], ["ShopSnapshotTests"]])
        #expect(pipeline.jobs[1].framework?.name == "iOSSnapshotTestCase")
    }

    @Test(
        "a project without a workspace gets the devices of its lane, and its pictures are counted"
    )
    func lane() throws {
        let pipeline = try pipeline(.appWithPointFree)
        #expect(pipeline.devices.map(\.title) == ["iPhone 16 (18.5)"])
        let screens = try #require(pipeline.jobs.first { $0.name.text == "screens" })
        #expect(screens.framework?.name == "swift-snapshot-testing")
        #expect(try XcodeKind().settings(of: screens.driver).project == "Shop.xcodeproj")
        let proposal = Layout.appWithPointFree.proposal
        #expect(proposal.found.contains { $0.hasPrefix("1 reference picture in ShopSnapshot") })
        #expect(proposal.next.contains { $0.hasPrefix("snapfarm refs import") })
    }

    @Test(
        "each of Gradle's screenshot tools is named",
        arguments: [
            ("app.cash.paparazzi", "Paparazzi"), ("io.github.takahirom.roborazzi", "Roborazzi"),
            ("com.karumi", "Shot"), ("com.android.compose.screenshot", "Compose Preview"),
        ]
    )
    func gradle(sign: String, name: String) {
        let text = "plugins { id(\"\(sign)\") }"
        for path in ["app/build.gradle", "app/build.gradle.kts", "gradle/libs.versions.toml"] {
            let files = ProjectFiles(paths: [path]) { _ in text }
            let proposal = SetupRules.proposal(for: files, folder: "a")
            #expect(proposal.open.contains { $0.contains(name) }, "\(path)")
        }
    }

    @Test(
        "each provider's file leads to its example, and is left as it is",
        arguments: [
            (".circleci/config.yml", "circleci"), ("bitrise.yml", "bitrise"),
            (".github/workflows/ci.yml", "github"), (".gitlab-ci.yml", "gitlab"),
            (".buildkite/pipeline.yml", "buildkite"), ("Jenkinsfile", "jenkins"),
        ]
    )
    func provider(path: String, folder: String) {
        let files = ProjectFiles(paths: ["index.html", path]) { _ in "" }
        let proposal = SetupRules.proposal(for: files, folder: "a")
        #expect(proposal.open.contains { $0.contains("pipelines/\(folder)/") }, "\(proposal.open)")
        #expect(!proposal.files.contains { $0.path == path })
        let workflow = ".github/workflows/snapfarm.yml"
        #expect(proposal.files.contains { $0.path == workflow } == (folder == "github"))
    }

    @Test("a workflow that is there stays, and apps get a Mac")
    func workflow() throws {
        let path = ".github/workflows/snapfarm.yml"
        let mine = ProjectFiles(paths: ["index.html", path]) { _ in "" }
        let kept = SetupRules.proposal(for: mine, folder: "a")
        #expect(!kept.files.contains { $0.path == path })
        #expect(kept.open.contains { $0.contains("\(path) is there already") })
        var app = Layout.appWithPointFree.files
        app[".github/workflows/ci.yml"] = ""
        let texts = app
        let files = ProjectFiles(paths: Array(texts.keys)) { texts[$0] }
        let proposed = SetupRules.proposal(for: files, folder: "a").files
        let text = try #require(proposed.first { $0.path == path }).text
        #expect(text.contains("runs-on: macos-latest"))
        #expect(text.contains("run: snapfarm run snapfarm.yaml"))
    }

    @Test("what init cannot know it says, with what to do")
    func unknown() throws {
        let open = Layout.appWithFastlane.proposal.open.joined(separator: "\n")
        #expect(open.contains("does not know the device \"iWidget 3\""))
        #expect(open.contains("pipelines/circleci/"))
        #expect(open.contains("fastlane/Fastfile computes its devices"))
        #expect(Layout.appWithoutScheme.proposal.open.first?.hasPrefix("No scheme") == true)
        for (layout, word) in [
            (Layout.playwright, "Playwright"), (.jest, "jest-image-snapshot"),
            (.storybook, "`storybook: storybook-static`"), (.gradle, "Paparazzi"),
            (.empty, "Nothing was found"), (.jestTexts, "docs/texts.md#jests-snapshots"),
            (.maestro, "docs/command.md#maestro"),
        ] {
            #expect(layout.proposal.open.contains { $0.contains(word) }, "\(layout)")
            #expect(!layout.proposal.files.contains { $0.path == "snapfarm.yaml" }, "\(layout)")
        }
    }

    @Test(
        "the scenarios and viewports of BackstopJS become scenes and devices, its references an import"
    )
    func backstop() throws {
        let proposal = Layout.backstop.proposal
        let pipeline = try pipeline(.backstop)
        #expect(pipeline.devices.map(\.title) == ["phone", "tablet_h"])
        #expect(pipeline.devices.map(\.width) == [320, 1024])
        let scenes = try #require(proposal.files.first { $0.path == "scenes.yaml" }).text
        let decoded = try ScenesFile.decode(scenes, file: "scenes.yaml").scenes
        #expect(
            decoded.map(\.test.text) == [
                "Pages/Cart__empty", "Pages/Home", "Pages/Home__top____price",
            ]
        )
        #expect(scenes.contains("file: public/index.html"), "\(scenes)")
        #expect(scenes.contains("element: \"#top > .price\""), "\(scenes)")
        #expect(proposal.open.contains { $0.contains("waits") })
        for layout in [Layout.backstop, .lostPixel] {
            let words = layout.proposal
            #expect(words.next.contains { $0.hasPrefix("snapfarm refs import") }, "\(words)")
            #expect(words.found.contains { $0.hasPrefix("1 reference picture") }, "\(words.found)")
        }
    }

    @Test("a package, plots and a site get jobs that the program takes")
    func others() throws {
        #expect(try pipeline(.package).jobs.map(\.driver.name) == ["swiftpm"])
        #expect(
            Layout.package.proposal.files.map(\.path) == [
                "snapfarm.yaml", ".gitignore", ".github/workflows/snapfarm.yml",
            ]
        )
        let plots = try pipeline(.plots)
        #expect(plots.jobs.map(\.framework?.name) == ["pytest-mpl"])
        #expect(plots.references == nil)
        let paths = Layout.plots.proposal.files.map(\.path)
        #expect(paths.contains("ci/snapfarm_pytest.py"))
        // A pipe would hide that the list is incomplete.
        let commands = try CommandKind().settings(of: plots.jobs[0].driver)
        #expect(!commands.discover.contains("|") && plots.jobs[0].env == ["PYTHONPATH": "ci"])
        let site = try pipeline(.site)
        #expect(site.devices.map(\.name) == ["iPhone 16", "Desktop"])
        #expect(site.jobs.map(\.driver.name) == ["webdriver"])
        let stories = try pipeline(.builtStorybook)
        #expect(stories.jobs.map(\.driver.name) == ["webdriver"])
        let file = Layout.builtStorybook.proposal.files.first { $0.path == "snapfarm.yaml" }
        #expect(file?.text.contains("storybook: storybook-static") == true)
    }

    @Test(
        "Maven and node --test get jobs with the files of their page, and no test's page is a scene"
    )
    func runners() throws {
        let root = #filePath.replacing("/Tests/FarmPipelineTests/Setup/SetupTests.swift", with: "")
        let page = try String(contentsOfFile: root + "/docs/command.md", encoding: .utf8)
        for (layout, script) in [(Layout.maven, JobScript.maven), (.node, .node)] {
            let proposal = layout.proposal
            #expect(try pipeline(layout).jobs.count == 1)
            #expect(proposal.files.contains { $0.path == script.path && $0.text == script.text })
            #expect(page.contains("\n" + script.text + "```\n"))
        }
        let job = try #require(try pipeline(.node).jobs.first)
        let settings = try CommandKind().settings(of: job.driver)
        #expect(settings.discover == "find lib test -name '*.test.js' -o -name '*.test.mjs'")
        let plain = ["package.json": "\"node --test\"", "test/test.js": "", "src/a.js": ""]
        let proposal = SetupRules.proposal(
            for: ProjectFiles(paths: Array(plain.keys)) { plain[$0] },
            folder: "shop"
        )
        let file = proposal.files.first { $0.path == "snapfarm.yaml" }
        #expect(file?.text.contains("find test -name '*.js'") == true)
    }

    @Test("what a Maven or Node project has beside the usual is left to people")
    func otherRunners() {
        let trees = [
            ["pom.xml": "<modules><module>a</module></modules>"],
            ["package.json": "\"node --test\"", "a.test.js": ""],
            ["package.json": "\"node --test\"", "a b/a.test.js": ""],
        ]
        for tree in trees {
            let proposal = SetupRules.proposal(
                for: ProjectFiles(paths: Array(tree.keys)) { tree[$0] },
                folder: "shop"
            )
            #expect(proposal.files.isEmpty && proposal.open.count == 1)
        }
    }

    @Test("pages become scenes with a name each, and other people's pages do not")
    func scenes() throws {
        let file = try #require(Layout.site.proposal.files.first { $0.path == "scenes.yaml" })
        let scenes = try ScenesFile.decode(file.text, file: "scenes.yaml").scenes
        #expect(
            scenes.map(\.test.text) == [
                "Pages/404-not-found", "Pages/index", "shop/Cart", "shop/cart-2",
            ]
        )
    }

    @Test(
        "what is ignored already is not ignored twice, and a file without a last newline gets one"
    )
    func ignored() {
        #expect(!Layout.site.proposal.files.contains { $0.path == ".gitignore" })
        let file = Layout.appWithFastlane.proposal.files.first { $0.path == ".gitignore" }
        #expect(file?.text == "\n.snapfarm/\nsnapfarm-out/\n")
        #expect(file?.appends == true)
    }

    @Test("a repository that has a pipeline file is left as it is")
    func there() {
        let files = ProjectFiles(paths: ["snapfarm.yaml", "index.html"]) { _ in "" }
        let proposal = SetupRules.proposal(for: files, folder: "a")
        #expect(proposal.files.isEmpty)
        #expect(proposal.open.first?.contains("is there already") == true)
    }

    @Test("names from the repository cannot break the pipeline file")
    func hostile() throws {
        let names = ["a: b.html", "\"q\".html", "#x.html", "- y.html", "ü{}.html", "日本.html"]
        let files = ProjectFiles(paths: names) { _ in "" }
        let proposal = SetupRules.proposal(for: files, folder: "#: \"\n<script>")
        let pipeline = try #require(proposal.files.first { $0.path == "snapfarm.yaml" })
        _ = try PipelineDecoder.decode(
            pipeline.text,
            file: "p",
            drivers: DriverCatalog.kinds
        )
        let scenes = try #require(proposal.files.first { $0.path == "scenes.yaml" })
        // All pages except the one whose name would be read as a URL's fragment.
        #expect(
            try ScenesFile.decode(scenes.text, file: "scenes.yaml").scenes.count == names.count - 1
        )
    }
}
