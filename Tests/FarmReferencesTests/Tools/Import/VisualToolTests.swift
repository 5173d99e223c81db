// Tests of paths from public repositories of visual testing tools and of teams that use them.
import FarmCore
import FarmReferences
import FarmTesting
import Foundation
import Testing

@Suite("References of other tools for web pages")
struct VisualToolTests {
    private static let stories = SceneNames([
        "Example/Button/Large", "Example/Page/Logged In", "Long Element/default", "Other/default",
        "BackstopJS/Homepage", "Pages/Cart__empty", "Welcome/to Storybook", "Cafe/Champs-Élysées",
    ])

    @Test(
        "are the scenes that draw the same page from now on, whatever the tool writes between words",
        arguments: [
            (".lostpixel/baseline/example-button--large.png", "laptop/Example/Button/Large"),
            (
                ".lostpixel/baseline/example-page--logged-in__[w390px].png",
                "phone/Example/Page/Logged In"
            ),
            (
                "web/.lostpixel/baseline/example-button--large[w1280px].png",
                "laptop/Example/Button/Large"
            ),
            (
                ".lostpixel/baseline/example-button--large__[w390px|chromium].png",
                "phone/Example/Button/Large"
            ),
            (".lostpixel/baseline/cafe--champs-élysées__[w390px].png", "phone/Cafe/Champs-Élysées"),
            (
                ".loki/reference/chrome_laptop_Example_Button_Large.png",
                "laptop/Example/Button/Large"
            ),
            (".loki/reference/chrome_phone_Welcome_to_Storybook.png", "phone/Welcome/to Storybook"),
            (
                ".loki/reference/chrome_phone_dark_Long_Element_default.png",
                "phone_dark/Long Element/default"
            ),
            (
                "backstop_data/bitmaps_reference/backstop_default_BackstopJS_Homepage_0_document_0_phone.png",
                "phone/BackstopJS/Homepage"
            ),
            (
                "backstop_data/bitmaps_reference/prod_test_BackstopJS_Homepage_0_document_2_laptop.png",
                "laptop/BackstopJS/Homepage"
            ),
            (
                "backstop_data/bitmaps_reference/shop_Cart_empty_0_document_1_phone.png",
                "phone/Pages/Cart__empty"
            ),
            (".reg/expected/Example/Button/Large.png", "laptop/Example/Button/Large"),
        ]
    )
    func scenes(path: String, id: String) throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture(path)
        let plan = try fixture.importPlan(
            cell: "laptop",
            cells: Self.cells,
            source: .frameworks(Self.stories)
        )
        #expect(plan.pictures.map(\.id.text) == [id], "\(plan.unmapped)")
    }

    @Test(
        "of tools that go on running keep the names that these give, without browser and platform",
        arguments: [
            (
                "tests/shop/cart.spec.ts-snapshots/empty-cart-chromium-linux.png",
                "shop/cart.spec.ts/empty-cart"
            ),
            ("cart.test.js-snapshots/1-Mobile-Chrome-darwin.png", "cart.test.js/1"),
            ("e2e/a.spec.tsx-snapshots/parts/top-firefox-win32.png", "a.spec.tsx/parts/top"),
            (
                "src/__image_snapshots__/my-button-test-js-renders-1-snap.png",
                "src/my-button.test.js/my-button-test-js-renders-1-snap"
            ),
        ]
    )
    func kept(path: String, id: String) throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture(path)
        try fixture.picture("src/__image_snapshots__/__diff_output__/a-test-js-b-1-diff.png")
        let plan = try fixture.importPlan(cell: "laptop", source: .frameworks(Self.stories))
        #expect(plan.pictures.map(\.id.text) == ["laptop/" + id], "\(plan.unmapped)")
    }

    @Test("that no scene or two scenes are called like are left out, with the reason")
    func unknown() throws {
        let fixture = try WorkTreeFixture()
        try fixture.picture(".lostpixel/baseline/example-gone--large.png")
        try fixture.picture(".lostpixel/baseline/default.png")
        try fixture.picture(".lostpixel/baseline/example-button--large__[w999px].png")
        let plan = try fixture.importPlan(
            cell: nil,
            cells: Self.cells,
            source: .frameworks(Self.stories)
        )
        #expect(plan.pictures.isEmpty)
        let reasons = plan.unmapped.map(\.reason)
        #expect(reasons.count == 3)
        #expect(reasons.filter { $0.contains("no scene of the job is called") }.count == 2)
        #expect(reasons.contains { $0.contains("w999px") }, "\(reasons)")
    }

    private static let cells = [("laptop", 1_280), ("phone", 390), ("phone_dark", 391)].map {
        name,
        width in
        Cell(
            id: CellID(name),
            device: Device(name: name, width: width, height: 800, scale: 1),
            variant: []
        )
    }
}
