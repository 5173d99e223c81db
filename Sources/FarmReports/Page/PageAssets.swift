// The style and the script of the page, which are files of their own beside this one and lie in the
// program. They are put together in the order of their names here.

enum PageAssets {
    static let style = text(PackageResources.page_css) + text(PackageResources.review_css)
    /// Of a page that lies on a disk.
    static let staticScript = common + text(PackageResources.ticks_js)
    /// Of a page with buttons.
    static let hostScript =
        common + text(PackageResources.history_js) + text(PackageResources.decide_js)

    private static let common =
        text(PackageResources.page_js) + text(PackageResources.compare_js)
        + text(PackageResources.zoom_js)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
