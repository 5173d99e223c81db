// Properties of any picture name: it is read back as it was written. NameVectorTests tests real
// names. Each test prints its seed.
import FarmCore
import FarmPipeline
import FarmTesting
import Foundation
import Testing

/// Random names like those of people and frameworks.
private struct RandomNames {
    var random: SeededGenerator

    private static let words = [
        "Cart", "empty", "testFoo", "dark", "v2", "日本語", "été", "a b", "x-y", "(light)", "iPhone",
        "iPad", "1", "2", "diff", "expected", "x+y", "_", "HTMLPage", "reference_", "result",
    ]

    mutating func word() -> String { Self.words.randomElement(using: &random) ?? "a" }

    mutating func name() -> String {
        (0..<Int.random(in: 1...3, using: &random)).map { _ in word() }.joined(
            separator: ["_", " ", ""].randomElement(using: &random) ?? "_"
        )
    }

    /// Returns a valid value of a field, as the framework spells it.
    mutating func value(_ field: PictureField, _ profile: FrameworkProfile) -> String {
        let number = Int.random(in: 1...40, using: &random)
        return switch field {
        case .counter: "\(number)"
        case .scale: ["1", "2", "3", "2.625"][number % 4]
        case .os: ["17", "17_2", "13_1_1"][number % 3]
        case .size: "\(number * 10)x\(number)"
        case .device: ["iPhone", "iPad", "iPod_touch", "Apple_TV"][number % 4]
        case .project: ["chromium", "firefox", "webkit"][number % 3]
        case .platform: ["linux", "darwin", "win32"][number % 3]
        case .module: ["App", "Shop", "com.example.cart"][number % 3]
        case .suite: ["CartTests", "ListTests", "com.example.CartTest", "App.Cart"][number % 4]
        default: profile.spelling?.spelled(name()) ?? name()
        }
    }
}

@Suite("any name of a framework")
struct NamePropertyTests {
    private static let named = FrameworkCatalog.profiles.filter { !$0.names.isEmpty }

    @Test("is read back as what it was made of, also among other tests", arguments: named)
    func names(profile: FrameworkProfile) {
        var names = RandomNames(random: .announced())
        let all = profile.names.reduce(into: Set<PictureField>()) { $0.formUnion($1.fields) }
        var written = 0
        for _ in 0..<200 {
            var fields = PictureFields([:])
            for field in PictureField.allCases where all.contains(field) {
                if Int.random(in: 0..<4, using: &names.random) > 0 {
                    fields[field] = names.value(field, profile)
                }
            }
            guard let name = profile.name(saying: fields) else { continue }
            written += 1
            let own = fields[.test].map { [$0] } ?? []
            #expect(profile.fields(ofName: name, tests: own) == fields, "\(name)")
            let others = own.flatMap { ["other\($0)", String($0.prefix($0.count / 2 + 1)), $0] }
            #expect(profile.fields(ofName: name, tests: others) == fields, "\(name)")
        }
        #expect(written > 5, "\(written) of 200 could be written")
    }

    @Test("is spelled the same when it is spelled again", arguments: named)
    func spelledTwice(profile: FrameworkProfile) {
        // `one` removes only one character at each end, and another one may follow.
        guard let spelling = profile.spelling, spelling.trim != .one else { return }
        var names = RandomNames(random: .announced())
        for _ in 0..<500 {
            let once = spelling.spelled(names.name())
            #expect(spelling.spelled(once) == once)
        }
    }

    @Test("leads to its files, and they back to it", arguments: FrameworkCatalog.profiles)
    func places(profile: FrameworkProfile) {
        var names = RandomNames(random: .announced())
        for (number, place) in profile.pictures.enumerated() {
            var found = 0
            for _ in 0..<50 {
                var fields: PictureFields = [.suite: names.name(), .name: names.name()]
                if Bool.random(using: &names.random) { fields[.folder] = "Tests/App" }
                Self.takeFixedWords(of: place, &fields)
                guard let files = Self.files(fields, place) else { continue }
                found += 1
                let reading = place.read(files.sorted())
                let what = "\(profile.name), place \(number): \(files) \(reading)"
                let pictures =
                    reading.captures.map { [$0.suite, $0.name] }
                    + reading.differences.map { [$0.suite, $0.name] }
                #expect(pictures == [[fields[.suite] ?? "", fields[.name] ?? ""]], "\(what)")
                #expect(Set(reading.taken) == Set(files), "\(what)")
            }
            #expect(found > 2, "\(profile.name), place \(number): \(found) of 50")
        }
    }

    /// Sets the fields for which a place allows only one folder or name.
    private static func takeFixedWords(of place: PicturePlace, _ fields: inout PictureFields) {
        for pattern in place.paths.values {
            for (field, word) in [
                (PictureField.suite, "ReferenceImages"), (.suite, "images"), (.suite, "previews"),
                (.name, "result"),
            ] where pattern.text.contains("{\(field.rawValue)=\(word)}") {
                fields[field] = word
            }
        }
    }

    /// Returns the files of one picture at a place, or `nil` if the picture would be read as a file
    /// of another one.
    private static func files(_ fields: PictureFields, _ place: PicturePlace) -> [String]? {
        let paths = place.paths.mapValues { $0.write(fields.only($0.fields)) }
        let all = paths.values.compactMap(\.self)
        guard all.count == place.paths.count, Set(all).count == all.count else { return nil }
        let beside: [PicturePlace.Role] = [.reference, .diff]
        for (role, path) in paths {
            guard let path else { return nil }
            let isOther = beside.contains { $0 != role && place.paths[$0]?.read(path) != nil }
            let isOwn = !beside.contains(role)
            let isIgnored = place.ignored.contains { $0.read(path) != nil }
            if isOther || (isOwn && isIgnored) { return nil }
        }
        return all
    }
}
