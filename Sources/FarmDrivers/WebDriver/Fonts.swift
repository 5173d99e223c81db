// Checks that the fonts which a job names are installed. A page whose font is missing is drawn in
// another one, and every picture of it differs.
import FarmCore

/// Checks which fonts a browser has.
enum FontCheck {
    /// Returns the `fonts` that the browser does not have.
    ///
    /// An installed family, put before a generic family, changes the width of a text for at least
    /// one of three generic families.
    static func missing(_ fonts: [String], in browser: Browser) async throws -> [String] {
        struct Evaluation: Decodable {
            struct Result: Decodable { var value: [String]? }
            var result: Result
        }
        let names = fonts.map(JSONValue.literal).joined(separator: ", ")
        let script = """
            (() => {
              const context = document.createElement("canvas").getContext("2d");
              const text = "mmMwWLliI0123&1日本語あア한ع א😀";
              const width = (family) => {
                context.font = "72px " + family;
                return context.measureText(text).width;
              };
              const quoted = (name) => '"' + name.replaceAll('"', "") + '"';
              return [\(names)].filter((name) => ["monospace", "serif", "sans-serif"].every(
                (other) => width(quoted(name) + ", " + other) === width(other)));
            })()
            """
        let evaluation = try await browser.command(
            "Runtime.evaluate",
            ["expression": .text(script), "returnByValue": true],
            as: Evaluation.self
        )
        return evaluation.result.value ?? fonts
    }
}

/// The Debian packages that have fonts.
enum FontPackages {
    /// The packages, by the beginning of a font family's name; the longest beginning counts.
    private static let byFamily = [
        "Noto Sans CJK": "fonts-noto-cjk", "Noto Serif CJK": "fonts-noto-cjk",
        "Noto Color Emoji": "fonts-noto-color-emoji", "Noto": "fonts-noto-core",
        "DejaVu": "fonts-dejavu", "Liberation": "fonts-liberation", "Roboto": "fonts-roboto",
        "Inter": "fonts-inter", "Open Sans": "fonts-open-sans", "Lato": "fonts-lato",
        "IPA": "fonts-ipafont", "Hack": "fonts-hack", "Fira Code": "fonts-firacode",
        "JetBrains Mono": "fonts-jetbrains-mono", "Ubuntu": "fonts-ubuntu",
        "Symbola": "fonts-symbola",
        "Cantarell": "fonts-cantarell",
        "FreeSans": "fonts-freefont-ttf", "FreeSerif": "fonts-freefont-ttf",
    ]

    static func remedy(for fonts: [String]) -> String {
        let packages = fonts.compactMap { font in
            byFamily.filter { font.hasPrefix($0.key) }.max { $0.key.count < $1.key.count }?.value
        }
        let install =
            packages.isEmpty
            ? "Install its package (`apt-cache search fonts` lists them)"
            : "Run `apt-get install -y \(Set(packages).sorted().joined(separator: " "))`"
        return install + " where the job's workers run, or correct `fonts` of the job."
    }
}
