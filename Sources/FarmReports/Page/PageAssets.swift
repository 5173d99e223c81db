// The style and the script of the page. Their files lie beside this one and are built into the
// program; they are joined in the order given here.

enum PageAssets {
    static let style = text(PackageResources.page_css) + text(PackageResources.review_css)
    /// The script of a page on a disk, which has ticks.
    static let staticScript = common + text(PackageResources.ticks_js)
    /// The script of a host's page, which has buttons.
    static let hostScript =
        common + text(PackageResources.history_js) + text(PackageResources.decide_js)

    private static let common =
        text(PackageResources.page_js) + text(PackageResources.compare_js)
        + text(PackageResources.zoom_js)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
