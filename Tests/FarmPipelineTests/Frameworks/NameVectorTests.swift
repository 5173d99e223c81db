// Tests of each framework's picture names, in a table; the same patterns read them back.
import FarmCore
import FarmPipeline
import FarmTesting
import Testing

/// A framework's input, the picture name it writes, and the fields read back from the name.
struct NameVector: Sendable, CustomTestStringConvertible {
    var framework: String
    /// The fields as passed to the framework, which spells `test` and `identifier` in its way.
    var fields: [PictureField: String]
    /// The name without `.png`.
    var name: String

    init(_ framework: String, _ fields: [PictureField: String], _ name: String) {
        self.framework = framework
        self.fields = fields
        self.name = name
    }

    var testDescription: String { "\(framework): \(name)" }

    private static let fb = "iOSSnapshotTestCase"
    private static let pointFree = "swift-snapshot-testing"

    static let all: [NameVector] = [
        NameVector(fb, [.test: "testFoo", .scale: "3"], "testFoo@3x"),
        NameVector(
            fb,
            [.test: "testFoo", .identifier: "my id-1", .scale: "2"],
            "testFoo_my_id_1@2x"
        ),
        NameVector(
            fb,
            [.test: "testFooAndReturnError:", .scale: "3"],
            "testFooAndReturnError_@3x"
        ),
        NameVector(
            fb,
            [
                .test: "testFoo", .device: "iPhone", .os: "17_2", .size: "390x844", .scale: "3",
            ],
            "testFoo_iPhone_17_2_390x844@3x"
        ),
        NameVector(
            fb,
            [.test: "testFoo", .identifier: "a--b", .scale: "2"],
            "testFoo_a__b@2x"
        ),
        NameVector(
            fb,
            [.test: "testFoo", .identifier: "x+y<z>", .scale: "2"],
            "testFoo_x+y<z>@2x"
        ),
        NameVector(
            fb,
            [.test: "testLogin", .identifier: "username", .size: "375x667", .scale: "2"],
            "testLogin_username_375x667@2x"
        ),
        NameVector(pointFree, [.test: "testFoo()", .counter: "1"], "testFoo.1"),
        NameVector(pointFree, [.test: "testFoo(a:b:)", .counter: "12"], "testFoo-a-b.12"),
        NameVector(
            pointFree,
            [.test: "testFoo()", .identifier: "iPhone 13 Pro (dark)"],
            "testFoo.iPhone-13-Pro-dark"
        ),
        NameVector(pointFree, [.test: "日本語 テスト", .identifier: "été"], "日本語-テスト.été"),
        NameVector(
            "Paparazzi",
            [
                .module: "com.example", .suite: "CartTest", .test: "empty cart",
                .identifier: "Dark Mode",
            ],
            "com.example_CartTest_empty_cart_dark_mode"
        ),
        NameVector(
            "Roborazzi",
            [.suite: "com.example.MyTest", .test: "testMethod"],
            "com.example.MyTest.testMethod"
        ),
        NameVector(
            "Roborazzi",
            [.suite: "com.example.MyTest", .test: "testMethod", .counter: "2"],
            "com.example.MyTest.testMethod_2"
        ),
        NameVector("Roborazzi", [.suite: "MyTest", .test: "testMethod"], "MyTest.testMethod"),
        NameVector(
            "Roborazzi",
            [.suite: "com_example_MyTest", .test: "testMethod"],
            "com_example_MyTest.testMethod"
        ),
        NameVector(
            "Shot",
            [.suite: "com.example.CartTest", .test: "empty"],
            "com.example.CartTest_empty"
        ),
        NameVector("Flutter", [.identifier: "foo", .counter: "2"], "foo.2"),
        NameVector("Flutter", [.identifier: "foo"], "foo"),
        NameVector(
            "Playwright",
            [.test: "login page renders", .counter: "1"],
            "login-page-renders-1"
        ),
        NameVector(
            "Playwright",
            [.test: "a/b: c_d (e) 2x", .counter: "1"],
            "a-b-c-d-e-2x-1"
        ),
        NameVector(
            "Playwright",
            [.test: "shot", .project: "chromium", .platform: "linux"],
            "shot-chromium-linux"
        ),
        NameVector(
            "jest-image-snapshot",
            [.test: "login-test-js-renders-page", .counter: "1"],
            "login-test-js-renders-page-1-snap"
        ),
        NameVector(
            "jest-image-snapshot",
            [.test: "login.test.js-Login page renders v2Cart", .counter: "12"],
            "login-test-js-login-page-renders-v-2-cart-12-snap"
        ),
        NameVector("jest-image-snapshot", [.identifier: "own"], "own"),
        NameVector(
            "SnapshotPreviews",
            [.module: "App", .suite: "Cart", .identifier: "Dark Mode"],
            "App_Cart.swift_Dark_Mode"
        ),
        NameVector("Prefire", [.identifier: "Cart (dark)", .counter: "1"], "Cart-dark.1"),
        NameVector("AccessibilitySnapshot", [.test: "testFoo()", .counter: "1"], "testFoo.1"),
        NameVector("Dropshots", [.test: "empty cart"], "empty_cart"),
        NameVector(
            "ComposePreview",
            [.test: "CartPreview", .identifier: "Compact cart_f8fe67cd_0"],
            "CartPreview_Compact cart_f8fe67cd_0"
        ),
        NameVector("alchemist", [.identifier: "list_tile"], "list_tile"),
    ]
}

@Suite("names of frameworks")
struct NameVectorTests {
    private func profile(_ name: String) throws -> FrameworkProfile {
        try #require(FrameworkCatalog.profile(named: name))
    }

    /// Returns the fields as spelled in a file's name.
    private func spelled(_ vector: NameVector, _ profile: FrameworkProfile) -> PictureFields {
        var fields = PictureFields(vector.fields)
        for field in [PictureField.test, .identifier] {
            fields[field] = vector.fields[field].map { profile.spelling?.spelled($0) ?? $0 }
        }
        // Paparazzi changes only the label to lower case, not the method.
        return fields
    }

    @Test("a name is written as the framework writes it", arguments: NameVector.all)
    func written(vector: NameVector) throws {
        let profile = try profile(vector.framework)
        #expect(profile.name(saying: spelled(vector, profile)) == vector.name)
    }

    @Test("a name says what it was made of", arguments: NameVector.all)
    func read(vector: NameVector) throws {
        let profile = try profile(vector.framework)
        let fields = spelled(vector, profile)
        let tests = fields[.test].map { [$0, "\($0)Longer", "other"] } ?? []
        #expect(profile.fields(ofName: vector.name, tests: tests) == fields)
    }

    @Test("a longer test's name wins over one that it begins with")
    func longest() throws {
        let profile = try profile("iOSSnapshotTestCase")
        let tests = ["testCart", "testCart_empty"]
        let own = profile.fields(ofName: "testCart_empty_dark@2x", tests: tests)
        #expect(own == [.test: "testCart_empty", .identifier: "dark", .scale: "2"])
        let none = profile.fields(ofName: "testCart_empty_dark@2x")
        #expect(none?[.test] == "testCart")
    }

    @Test("a name that would say something else is not written")
    func ambiguous() throws {
        let profile = try profile("iOSSnapshotTestCase")
        // The identifier iPhone would be read as a device.
        #expect(profile.name(saying: [.test: "testA", .identifier: "iPhone"]) == nil)
        let counted = try self.profile("swift-snapshot-testing")
        #expect(counted.name(saying: [.test: "testA", .identifier: "1"]) == nil)
        #expect(counted.name(saying: [.test: "testA"]) == nil)
    }

    @Test(
        "names are spelled as the framework spells them",
        arguments: [
            ("swift-snapshot-testing", "testFoo()", "testFoo"),
            ("swift-snapshot-testing", "testFoo(a:b:)", "testFoo-a-b"),
            ("swift-snapshot-testing", "iPhone 13 Pro (dark)", "iPhone-13-Pro-dark"),
            ("swift-snapshot-testing", "--x--", "x"),
            ("swift-snapshot-testing", "日本語 テスト", "日本語-テスト"),
            ("swift-snapshot-testing", "émile/été", "émile-été"),
            ("swift-snapshot-testing", "a_b.c", "a_b-c"),
            ("swift-snapshot-testing", "test😀x", "test-x"),
            ("swift-snapshot-testing", "(x)", "x"),
            ("iOSSnapshotTestCase", "my id-1", "my_id_1"),
            ("iOSSnapshotTestCase", "a!\"#%&'()*,-./:;?@[\\]_{}b", "a" + filler + "b"),
            ("iOSSnapshotTestCase", "$+<=>^`|~\n", "$+<=>^`|~\n"),
            ("iOSSnapshotTestCase", " a\t\u{A0}—→", "_a___→"),
            ("Playwright", "login page renders", "login-page-renders"),
            ("Playwright", "my shot v1.2", "my-shot-v1-2"),
            ("Playwright", "a_b é", "a-b-é"),
            ("Playwright", "a\u{7F}b,c-d", "a-b-c-d"),
            ("Paparazzi", "Dark Mode", "dark_mode"),
            ("jest-image-snapshot", "login.test.js-Cart is empty", "login-test-js-cart-is-empty"),
            ("jest-image-snapshot", "HTMLPage XMLHttpRequest2", "html-page-xml-http-request-2"),
            ("jest-image-snapshot", "v1.0Beta 1st 2ND", "v-1-0-beta-1st-2nd"),
            ("jest-image-snapshot", "11th 3rd4", "11-th-3-rd-4"),
            ("jest-image-snapshot", "don't it’s __FOO_BAR__", "dont-its-foo-bar"),
            ("jest-image-snapshot", "Éclair Straße Œuvre", "eclair-strasse-oeuvre"),
            ("jest-image-snapshot", "日本語 テストABC", "日本語-テストabc"),
            ("jest-image-snapshot", "test😀x ♥️", "test-😀-x-♥️"),
            ("jest-image-snapshot", "--- ", ""),
            ("SnapshotPreviews", "Module/File.swift_Dark  Mode!", "Module_File.swift_Dark_Mode"),
            ("SnapshotPreviews", "__x.-", "x"),
        ]
    )
    func spelling(framework: String, name: String, spelled: String) throws {
        #expect(try profile(framework).spelling?.spelled(name) == spelled)
    }

    private static let filler = String(repeating: "_", count: 23)
}

@Suite("paths of frameworks")
struct PathVectorTests {
    @Test(
        "a reference lies where the framework reads it, and is known there",
        arguments: [
            (
                "iOSSnapshotTestCase", nil, "App.LoginTests", "testA@3x",
                "App.LoginTests/testA@3x.png"
            ),
            (
                "swift-snapshot-testing", "Tests/AppTests", "LoginTests", "testA.1",
                "Tests/AppTests/__Snapshots__/LoginTests/testA.1.png"
            ),
            (
                "swift-snapshot-testing", nil, "LoginTests", "testA.1",
                "__Snapshots__/LoginTests/testA.1.png"
            ),
            ("Playwright", nil, "tests/login.spec.ts", "a-1", "tests/login.spec.ts/a-1.png"),
            ("jest-image-snapshot", nil, "login.test.js", "a-1-snap", "login.test.js/a-1-snap.png"),
        ] as [(String, String?, String, String, String)]
    )
    func references(
        framework: String,
        folder: String?,
        suite: String,
        name: String,
        path: String
    ) throws {
        let profile = try #require(FrameworkCatalog.profile(named: framework))
        let pattern = try #require(profile.references).path
        var fields: PictureFields = [.suite: suite, .name: name]
        fields[.folder] = folder
        #expect(pattern.write(fields) == path)
        #expect(pattern.read(path) == fields)
    }

    @Test("no profile of the program but those said has a mistake, and each has its own name")
    func bundled() throws {
        #expect(FrameworkCatalog.profiles.count == 18)
        for (profile, entry) in zip(FrameworkCatalog.profiles, FrameworkCatalog.texts) {
            #expect(profile.name == entry.name)
            #expect(!profile.about.isEmpty)
        }
        #expect(FrameworkCatalog.unnamed.count == 4)
    }
}
