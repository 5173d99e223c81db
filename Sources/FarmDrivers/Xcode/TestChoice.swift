// The tests of one launch as `OnlyTestingIdentifiers` of an `.xctestrun`:
//   {suites: [{name, suites: […], testFunctions: […]}], testFunctions: […],
//    xctestClasses: [{name, xctestMethods: […]}]}
//
// The Xcodes that obey each key (bazelbuild/rules_apple#3016, tuist#11329):
//   OnlyTestIdentifiers       XCTest always; Swift Testing up to 26.3
//   OnlyTestingIdentifiers    both from 26.4 on, and then it wins over the list
//
// A name does not show the framework of its test. So each test stands among the suites and, if its
// suite is not nested, among the classes; Xcode ignores names that it does not find.
import FarmCore

struct TestChoice {
    private var functions: [String] = []
    /// The suites and the tests chosen in them, in the order of their first test.
    private var suites: [(name: String, choice: TestChoice)] = []

    /// Creates the choice of some tests by ids without the target: `Class/method`,
    /// `Suite/In/function()`.
    init(_ tests: [String]) {
        for test in tests {
            let name = XcodeTestName("/" + test)
            add(name.suites[...], name.function)
        }
    }

    private mutating func add(_ path: ArraySlice<String>, _ function: String) {
        guard let first = path.first else { return functions.append(function) }
        // The tests of a lease come in any order.
        let index = suites.firstIndex { $0.name == first } ?? suites.count
        if index == suites.count { suites.append((first, TestChoice([]))) }
        suites[index].choice.add(path.dropFirst(), function)
    }

    var propertyList: PropertyList {
        var fields = tree
        let classes = suites.filter { !$0.choice.functions.isEmpty }.map { name, choice in
            PropertyList.dictionary([
                "name": .text(name),
                "xctestMethods": .list(choice.functions.map { .text(XcodeTestName.plain($0)) }),
            ])
        }
        if !classes.isEmpty { fields["xctestClasses"] = .list(classes) }
        return .dictionary(fields)
    }

    /// Returns the paths that a dictionary of tests names, in the spelling of
    /// ``XcodeTestName/key``.
    ///
    /// A suite or class alone stands for all its tests.
    static func paths(in dictionary: [String: PropertyList]) -> [[String]] {
        func texts(_ key: String, _ entry: [String: PropertyList]) -> [[String]] {
            guard case .list(let values)? = entry[key] else { return [] }
            return values.compactMap(\.text).map { [XcodeTestName.plain($0)] }
        }
        let groups = ["suites", "xctestClasses"].flatMap { dictionary[$0]?.dictionaries ?? [] }
        return texts("testFunctions", dictionary) + texts("xctestMethods", dictionary)
            + groups.flatMap { group -> [[String]] in
                guard let name = group["name"]?.text.map(XcodeTestName.plain) else { return [] }
                let inside = paths(in: group)
                return inside.isEmpty ? [[name]] : inside.map { [name] + $0 }
            }
    }

    private var tree: [String: PropertyList] {
        var fields: [String: PropertyList] = [:]
        if !functions.isEmpty { fields["testFunctions"] = .list(functions.map(PropertyList.text)) }
        let below = suites.map { name, choice in
            PropertyList.dictionary(choice.tree.merging(["name": .text(name)]) { own, _ in own })
        }
        if !below.isEmpty { fields["suites"] = .list(below) }
        return fields
    }
}
