import FarmCore
import Testing

@Suite("Devices and cells")
struct MatrixTests {
    @Test(
        "an OS is the last parenthesised group, and only if it is a version",
        arguments: [
            ("iPad Pro (11-inch) (13.1)", "iPad Pro (11-inch)", "13.1"),
            ("iPad Pro (11-inch)", "iPad Pro (11-inch)", nil),
            ("iPhone 8 (13.1)", "iPhone 8", "13.1"),
            ("iPhone Xʀ (12.2)", "iPhone Xʀ", "12.2"),
            ("iPhone SE (2nd generation)", "iPhone SE (2nd generation)", nil),
            ("Kiosk", "Kiosk", nil),
            ("(13.1)", "(13.1)", nil),
            ("Odd (13.)", "Odd (13.)", nil),
        ] as [(String, String, String?)]
    )
    func deviceNames(text: String, name: String, os: String?) {
        let parsed = DeviceName(text)
        #expect(parsed.name == name)
        #expect(parsed.os == os)
    }

    @Test(
        "the six devices of the payment app have their metrics",
        arguments: [
            ("iPad Pro (11-inch)", 834, 1194, 2.0), ("iPhone 8", 375, 667, 2.0),
            ("iPhone SE", 320, 568, 2.0), ("iPhone Xs", 375, 812, 3.0),
            ("iPhone Xs Max", 414, 896, 3.0), ("iPhone Xʀ", 414, 896, 2.0),
        ]
    )
    func catalogue(name: String, width: Int, height: Int, scale: Double) throws {
        let entry = try #require(DeviceCatalogue.entry(named: name))
        #expect(entry.width == width && entry.height == height && entry.scale == scale)
    }

    @Test("Xʀ, XR and Xr are one device", arguments: ["iPhone Xʀ", "iPhone XR", "iphone xr"])
    func oneDevice(spelling: String) {
        #expect(DeviceCatalogue.entry(named: spelling)?.name == "iPhone XR")
    }

    @Test("a cell id joins its parts and replaces what no file name should hold")
    func cellIDs() {
        let pad = Device(
            name: "iPad Pro (11-inch)",
            os: "13.1",
            width: 834,
            height: 1194,
            scale: 2
        )
        let values = [
            VariantValue(axis: "appearance", value: "dark"),
            VariantValue(axis: "locale", value: "ja"),
        ]
        #expect(Matrix.cellID(device: pad, variant: values).text == "iPad-Pro-11-inch_13.1_dark_ja")
        let odd = Device(name: "端末 / 一号!", os: nil, width: 1, height: 1, scale: 1)
        #expect(Matrix.cellID(device: odd, variant: []).text == "端末-一号")
    }

    @Test("variants multiply the matrix in the order of the file, less the exclusions")
    func cells() {
        let phone = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
        let other = Device(name: "iPhone X", os: nil, width: 375, height: 812, scale: 3)
        let axes = [
            VariantAxis(name: "appearance", values: ["light", "dark"]),
            VariantAxis(name: "locale", values: ["ja", "en"]),
        ]
        let cells = Matrix.cells(
            devices: [phone, other],
            axes: axes,
            excluding: [Exclusion(device: "iPhone 8 (13.1)", variant: ["appearance": "dark"])]
        )
        #expect(
            cells.map(\.id.text) == [
                "iPhone-8_13.1_light_ja", "iPhone-8_13.1_light_en", "iPhone-X_light_ja",
                "iPhone-X_light_en", "iPhone-X_dark_ja", "iPhone-X_dark_en",
            ]
        )
    }

    @Test("a landscape cell turns the screen")
    func landscape() {
        let device = Device(name: "A", os: nil, width: 100, height: 201, scale: 1.5)
        let cell = Cell(
            id: CellID("a"),
            device: device,
            variant: [VariantValue(axis: "orientation", value: "landscape")]
        )
        #expect(cell.pixels == PixelSize(width: 302, height: 150))
    }
}
