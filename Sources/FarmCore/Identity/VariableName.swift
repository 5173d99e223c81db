package enum VariableName {
    /// Whether a text is the name of an environment variable: letters of ASCII, digits and `_`, no
    /// digit first.
    package static func isUsable(_ name: String) -> Bool {
        name.utf8.first.map { !(48...57).contains($0) } == true
            && name.utf8.allSatisfy {
                $0 == 95 || (48...57).contains($0) || (65...90).contains($0)
                    || (97...122).contains($0)
            }
    }
}
