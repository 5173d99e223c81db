// The style and the script of the page. Their files lie beside this one and are built into the
// program; they are joined in the order given here.

enum PageAssets {
    static let style = text(PackageResources.page_css) + text(PackageResources.review_css)
    /// The script of a page on a disk, which has ticks.
    static let staticScript = common + text(PackageResources.ticks_js) + start
    /// The script of a comparison's page, which takes no decisions.
    static let comparisonScript = common + start
    /// The script of a host's page, which has buttons.
    static let hostScript =
        common + text(PackageResources.history_js) + text(PackageResources.decide_js)

    /// The end of the script of a page on a disk: the page is complete when it is reached.
    private static let start = """
        for (const fill of whenFilled) fill();
        for (const image of all(".stage img")) if (image.complete) fit(image);

        """

    private static let common =
        text(PackageResources.page_js) + text(PackageResources.compare_js)
        + text(PackageResources.ignore_js) + text(PackageResources.zoom_js)

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
