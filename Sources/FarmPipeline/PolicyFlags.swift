// A policy from the command line or from a request. The keys, their values and the policies that
// have them are those of the pipeline file: the same decoder reads both, so they cannot disagree.
import FarmCore
import Yams

/// An error of flags that do not make a comparison policy.
package enum PolicyFlagError: ExplainedError, Hashable {
    /// The flag belongs to another policy.
    case foreign(key: String, policy: String, owners: [String])
    /// A value is invalid; the texts are those of the pipeline's decoder.
    case value(message: String, remedy: String)

    package var code: String { "policy-invalid" }
    package var message: String {
        switch self {
        case .foreign(let key, let policy, _): "the policy \(policy) has no \(key)."
        case .value(let message, _): message
        }
    }
    package var remedy: String {
        switch self {
        case .foreign(let key, _, let owners):
            owners.isEmpty
                ? "No policy has \(key)." : "It belongs to \(owners.joined(separator: ", "))."
        case .value(_, let remedy): remedy
        }
    }
    package var exit: ExitCode { .usage }
}

/// The flags of a comparison policy: values by the keys of a pipeline's `comparison`.
package struct PolicyFlags: Hashable, Sendable {
    /// The keys that some policy has, and `policy` itself.
    package static var keys: [String] { PolicyKeys.policy }

    /// Returns the command-line flag for a key, without its dashes: the key in kebab-case.
    package static func flag(of key: String) -> String {
        // The flag --version is taken by the program.
        if key == "version" { return "pixelmatch-version" }
        return key.map { $0.isUppercase ? "-" + $0.lowercased() : String($0) }.joined()
    }

    /// The values of the given flags, by key.
    package var values: [String: String]

    package init(_ values: [String: String] = [:]) { self.values = values }

    /// Returns these flags with those of `other` on top; if `other` names another policy, returns
    /// `other` alone.
    package func overridden(by other: PolicyFlags) -> PolicyFlags {
        if let name = other.values["policy"], name != values["policy"] { return other }
        return PolicyFlags(values.merging(other.values) { _, new in new })
    }

    /// Returns the policy that the flags describe; without any flag, the default of pipeline files.
    package func policy() throws(PolicyFlagError) -> ComparisonPolicy {
        var chosen: [String: String] = [:]
        chosen["policy"] = values["policy"]
        let name = try decoded(chosen).name
        let own = PolicyKeys.numbers(of: name)
        for key in values.keys.sorted() where key != "policy" && !own.contains(key) {
            let owners = ComparisonPolicy.Name.allCases
                .filter { PolicyKeys.numbers(of: $0).contains(key) }.map(\.rawValue).sorted()
            throw .foreign(key: key, policy: name.rawValue, owners: owners)
        }
        return try decoded(values)
    }

    private func decoded(_ values: [String: String]) throws(PolicyFlagError) -> ComparisonPolicy {
        let pairs = values.sorted { $0.key < $1.key }.map { (Node($0.key), Node($0.value)) }
        var decoder = PipelineDecoder(reader: DocumentReader(file: ""), drivers: [])
        let rules = decoder.comparisonRules(Node(pairs), what: "comparison")
        if let problem = decoder.reader.problems.first {
            throw .value(message: problem.message, remedy: problem.remedy)
        }
        return rules.policy
    }
}
