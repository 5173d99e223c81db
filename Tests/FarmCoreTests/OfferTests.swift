import FarmCore
import FarmTesting
import Foundation
import Testing

@Suite("What workers offer and cells need")
struct OfferTests {
    private func offer(_ words: String...) throws -> WorkerOffer {
        var offer = WorkerOffer()
        for word in words { try offer.add(word: word) }
        return offer
    }

    @Test(
        "versions compare as versions",
        arguments: [
            ("15.9", "15.10"), ("9", "10"), ("15", "15.0.1"), ("15.0.1", "15.1"), ("1.2.3", "1.3"),
            ("0", "0.1"), ("134.0.6998.88", "134.0.7000.1"),
        ]
    )
    func order(_ lower: String, _ higher: String) throws {
        let low = try #require(VersionNumber(lower))
        let high = try #require(VersionNumber(higher))
        #expect(low < high && !(high < low) && low != high)
    }

    @Test("a version is one version however many zeros it ends with, and other text is none")
    func equality() {
        #expect(VersionNumber("15") == VersionNumber("15.0.0"))
        for text in ["", "15.", ".1", "15.x", "v15", "15-1", "1 5", "99999999999999999999.1"] {
            #expect(VersionNumber(text) == nil, "\(text)")
        }
    }

    @Test(
        "a need is met, or not",
        arguments: [
            (">=15.2", "15.2", true), (">=15.2", "15.10", true), (">=15.10", "15.9", false),
            (">=15.2 <17", "16.9", true), (">=15.2 <17", "17.0", false), ("> 15", "15.0", false),
            ("<=16", "16.0", true), ("16", "16.0", true), ("16", "16.2", false),
            ("=16", "16.0", true), ("macos", "macos", true), ("macos", "linux", false),
            ("macos", "MacOS", false), (">=1", "unknown", false), ("true", "anything", true),
            ("iPhone 15 Pro", "iPhone 15 Pro", true), ("16", "16-beta", false),
        ]
    )
    func meeting(_ need: String, _ value: String, _ isMet: Bool) throws {
        let need = try Need(name: "x", parsing: need)
        #expect(need.isMet(by: [value]) == isMet)
        #expect(!need.isMet(by: nil))
    }

    @Test("one value must meet all bounds, and a name alone meets only a need of the name")
    func oneValue() throws {
        let range = try Need(name: "xcode", parsing: ">=15 <17")
        #expect(!range.isMet(by: ["14.3", "17.1"]))
        #expect(range.isMet(by: ["14.3", "16.4", "17.1"]))
        #expect(!range.isMet(by: []))
        #expect(try Need(name: "lab", parsing: "true").isMet(by: []))
        let both = Needs([range, try Need(name: "xcode", parsing: "<16")])
        #expect(both.words == "xcode >=15 <17 <16")
        #expect(!both.all[0].isMet(by: ["16.4"]) && both.all[0].isMet(by: ["15.4"]))
    }

    @Test(
        "what no offer can meet is no need",
        arguments: [
            "", "false", ">=", ">=15.2 <", ">= x", ">=15 16", "=>15", ">=17 <15", ">15 <=15",
            "<15 >=15",
            "=15 >=16", "a\nb",
        ]
    )
    func mistakes(_ text: String) {
        #expect(throws: NeedMistake.self) { try Need(name: "xcode", parsing: text) }
    }

    @Test("names are lower-case words, values one line, and all of it is bounded")
    func limits() throws {
        for name in ["", "Xcode", "1a", "a b", "ä", String(repeating: "a", count: 41)] {
            #expect(throws: OfferMistake.name(name)) { try offer(name + "=1") }
            #expect(throws: NeedMistake.name(name)) { try Need(name: name, parsing: "1") }
        }
        #expect(throws: OfferMistake.self) { try offer("lab=") }
        var large = WorkerOffer()
        #expect(throws: OfferMistake.tooMuch) {
            for number in 0...FarmLimits.offerValuesMax { try large.add("n", "\(number)") }
        }
        #expect(large.values["n"]?.count == FarmLimits.offerValuesMax)
        #expect(throws: OfferMistake.tooMuch) {
            var long = WorkerOffer()
            for number in 100..<200 {
                try long.add("n", String(repeating: "x", count: 197) + "\(number)")
            }
        }
    }

    @Test("an offer is what was said, in one order, also after a journey")
    func travel() throws {
        let one = try offer("xcode=15.10", "lab", "xcode=15.9", "os=macos", "xcode=beta")
        let two = try offer("lab", "os=macos", "xcode=beta", "xcode=15.9", "xcode=15.10", "lab")
        #expect(one == two)
        #expect(one.words == "lab, os macos, xcode 15.9, 15.10, beta")
        let bytes = try JSONEncoder().encode(one)
        #expect(try JSONDecoder().decode(WorkerOffer.self, from: bytes) == one)
        for bad in [#"{"Xcode": ["1"]}"#, #"{"a": [""]}"#, #"{"a": "1"}"#, "[]"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(WorkerOffer.self, from: Data(bad.utf8))
            }
        }
        let needs = Needs([
            try Need(name: "xcode", parsing: ">= 15.2 <17"), try Need(name: "lab", parsing: "true"),
        ])
        let text = String(decoding: try JSONEncoder().encode(needs), as: UTF8.self)
        #expect(text.contains(#"">=15.2 <17""#))
        #expect(try JSONDecoder().decode(Needs.self, from: Data(text.utf8)) == needs)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Needs.self, from: Data(#"{"xcode": ">=17 <15"}"#.utf8))
        }
    }

    @Test("the nearest worker is the one that misses least, and the words say what")
    func nearest() throws {
        let needs = Needs([
            try Need(name: "os", parsing: "macos"), try Need(name: "xcode", parsing: ">=15.10"),
        ])
        let linux = OfferingWorker(WorkerID("a-linux"), try offer("os=linux"))
        let mac = OfferingWorker(WorkerID("mac-2"), try offer("os=macos", "xcode=15.9"))
        #expect(
            OfferMatch.reason(needs, among: [linux, mac])
                == "no worker offers os macos and xcode >=15.10; the nearest, mac-2, offers "
                + "xcode 15.9"
        )
        #expect(
            OfferMatch.reason(needs, among: [linux])
                == "no worker offers os macos and xcode >=15.10; the nearest, a-linux, offers "
                + "os linux and no xcode"
        )
        // Both lack one need: a worker with an old version is nearer than a worker without any.
        let bare = OfferingWorker(WorkerID("bare"), try offer("os=macos"))
        #expect(
            OfferMatch.reason(needs, among: [bare, mac])?.contains("the nearest, mac-2,") == true
        )
        let new = OfferingWorker(WorkerID("new"), try offer("os=macos", "xcode=16"))
        #expect(OfferMatch.reason(needs, among: [linux, new]) == nil)
        #expect(OfferMatch.reason(needs, among: []) == nil)
    }

    @Test("a worker fits exactly where it misses nothing, whatever is offered and needed")
    func property() throws {
        var generator = SeededGenerator.announced()
        let names = ["a", "b", "c"]
        func version() -> String {
            (0...Int.random(in: 0...2, using: &generator)).map { _ in
                "\(Int.random(in: 0...11, using: &generator))"
            }.joined(separator: ".")
        }
        for _ in 0..<2_000 {
            var offer = WorkerOffer()
            for _ in 0..<4 {
                try offer.add(names.randomElement(using: &generator) ?? "a", version())
            }
            let signs = [">=", ">", "<=", "<", ""]
            let needs = Needs(
                (0..<3).compactMap { _ in
                    let sign = signs.randomElement(using: &generator) ?? ""
                    return try? Need(
                        name: names.randomElement(using: &generator) ?? "a",
                        parsing: sign + version()
                    )
                }
            )
            let misses = OfferMatch.misses(of: needs, in: offer)
            #expect(OfferMatch.fits(needs, offer) == misses.isEmpty)
            for need in needs.all {
                // A need that cannot be met is met by no value; a need that some value meets can be
                // met.
                let isMet = need.isMet(by: offer.values[need.name])
                #expect(!isMet || need.canBeMet, "\(need.words) \(offer.words)")
                #expect(isMet != misses.contains { $0.need == need })
                // More offers never make a worker unfit.
                var more = offer
                try more.add(need.name, version())
                #expect(!isMet || need.isMet(by: more.values[need.name]))
            }
            let worker = OfferingWorker(WorkerID("w"), offer)
            #expect((OfferMatch.reason(needs, among: [worker]) == nil) == misses.isEmpty)
        }
    }
}
