import FarmCore
import Testing

@Suite("What people call a picture")
struct PictureTitleTests {
    @Test(
        "device, system, size and scale are taken off a name, and nothing else",
        arguments: [
            ("testEmpty_iPhone8_13_1_375x667@2x", "testEmpty"), ("testEmpty@2x", "testEmpty"),
            ("login-iPhone-8-13.1", "login"), ("login_375x667@3x", "login"),
            ("login iPhone 8", "login"), ("box3x4y", "box3x4y"), ("2x", "2x"), ("@2x", "@2x"),
            ("iPhone8", "iPhone8"), ("myiPhone8", "myiPhone8"), ("step_13_1", "step_13_1"),
            ("testEmpty_iPhone_13_1_375x667@2x", "testEmpty"), ("buy_iPhone@2x", "buy_iPhone"),
            ("testEmpty_iPhone13_1_375x667@2x", "testEmpty"),
            ("", ""),
        ]
    )
    func titles(name: String, title: String) {
        let device = Device(name: "iPhone 8", os: "13.1", width: 375, height: 667, scale: 2)
        #expect(PictureTitle.of(name, on: device) == title)
    }
}
