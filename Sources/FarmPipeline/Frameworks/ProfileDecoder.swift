// Decodes a profile's YAML to `FrameworkProfile`. Reports every mistake with its line.
import FarmCore

/// Decodes the profile of a framework.
package struct ProfileDecoder {
    var reader: DocumentReader

    /// Decodes the YAML of a profile; `file` is the file's name in messages.
    ///
    /// - Throws: all mistakes found, together.
    package static func decode(
        _ text: String,
        file: String
    ) throws(DocumentErrors) -> FrameworkProfile {
        var decoder = ProfileDecoder(reader: DocumentReader(file: file))
        let profile = decoder.profile(text)
        guard decoder.reader.problems.isEmpty, let profile else {
            throw decoder.reader.errors
        }
        return profile
    }

    private mutating func profile(_ text: String) -> FrameworkProfile? {
        guard text.utf8.count <= FarmLimits.profileBytesMax else {
            reader.report(
                nil,
                "the profile has \(text.utf8.count) bytes.",
                "At most \(FarmLimits.profileBytesMax)."
            )
            return nil
        }
        guard let root = reader.root(of: text, what: "profile"),
            let entries = reader.mapping(root, known: ProfileKeys.top, what: "the profile")
        else { return nil }
        guard let name = entries["framework"].flatMap({ reader.text($0, what: "framework") }) else {
            reader.report(
                root,
                "the profile does not say its framework.",
                "Begin it with `framework: NAME`."
            )
            return nil
        }
        if !PathComponent.isName(name) {
            reader.report(entries["framework"], "\"\(name)\" is no name.", "Use letters and `-`.")
        }
        return profile(name, entries)
    }

    private mutating func profile(
        _ name: String,
        _ entries: [String: DocumentNode]
    ) -> FrameworkProfile {
        var profile = FrameworkProfile(name: name)
        if let node = entries["about"] {
            profile.about = reader.text(node, what: "about") ?? ""
        }
        if let node = entries["judge"] {
            profile.judge = reader.word(node, as: Judge.self, what: "judge") ?? .farm
        }
        if let node = entries["record"] { profile.record = orders(node, what: "record") }
        if let node = entries["verify"] { profile.verify = orders(node, what: "verify") }
        profile.references = entries["references"].flatMap { references($0) }
        if let node = entries["pictures"] {
            profile.pictures = items(node, what: "pictures").compactMap { place($0) }
        }
        if let node = entries["names"] {
            profile.names = items(node, what: "names").compactMap {
                pattern($0, what: "a pattern of names")
            }
        }
        profile.spelling = entries["spelling"].flatMap { spelling($0) }
        if let node = entries["owner"] {
            profile.owners = items(node, what: "owner").compactMap { owner($0) }
        }
        if let node = entries["messages"] { profile.messages = messages(node) }
        return profile
    }

    // MARK: environment and flags

    private mutating func orders(_ node: DocumentNode, what: String) -> FrameworkMode {
        var orders = FrameworkMode()
        guard let entries = reader.mapping(node, known: ProfileKeys.orders, what: what) else {
            return orders
        }
        if let env = entries["env"] {
            for (key, value) in reader.orderedMapping(env, what: "\(what).env") {
                guard let name = reader.text(key, what: "a variable of \(what)") else { continue }
                if ProfileKeys.contract.contains(name) || !Job.isVariable(name) {
                    reader.report(
                        key,
                        "a profile cannot set the variable \"\(name)\".",
                        "Use letters, digits and _, and none of the farm's own variables."
                    )
                }
                orders.environment[name] = placeholderText(value, what: "\(what).env.\(name)")
            }
        }
        if let flags = entries["flags"] {
            orders.flags = items(flags, what: "\(what).flags").compactMap {
                placeholderText($0, what: "a flag of \(what)")
            }
        }
        return orders
    }

    /// Decodes a text in which braces contain a folder of the lease.
    private mutating func placeholderText(_ node: DocumentNode, what: String) -> String? {
        guard let text = reader.text(node, what: what) else { return nil }
        if let name = LeasePlaces.unknownName(in: text) {
            reader.report(
                node,
                "\(what) names the folder {\(name)}, which no lease has.",
                "Known: \(LeasePlaces.names.map { "{\($0)}" }.joined(separator: ", "))."
            )
        }
        return text
    }

    // MARK: places of pictures

    private mutating func references(_ node: DocumentNode) -> FrameworkReferences? {
        let what = "references"
        guard let entries = reader.mapping(node, known: ProfileKeys.references, what: what),
            let layoutNode = required("layout", entries, node, what: what),
            let folderNode = required("folder", entries, node, what: what),
            let pathNode = required("path", entries, node, what: what)
        else { return nil }
        if let writes = entries["writes"], reader.text(writes, what: "writes") != "nothing" {
            reader.report(
                writes,
                "references.writes is not \"nothing\".",
                "The farm refuses a verify run that writes references; write `nothing`."
            )
        }
        guard
            let layout = reader.word(
                layoutNode,
                as: FrameworkReferences.Layout.self,
                what: "layout"
            ),
            let path = pattern(pathNode, what: "references.path")
        else { return nil }
        if !path.fields.contains(.name) {
            reader.report(
                pathNode,
                "references.path has no {name}.",
                "Two pictures would be one file."
            )
        }
        let place =
            layout == .lease
            ? folder(folderNode, what: "references.folder")
            : reader.text(folderNode, what: "references.folder")
        let sources = entries["sources"].flatMap { reader.text($0, what: "references.sources") }
        if layout == .besideSources, sources == nil || place?.contains("/") == true {
            reader.report(
                node,
                "references beside-sources has no ending of sources, or a path for its folder.",
                "Write `sources: .swift` and the folder's name alone, such as __Snapshots__."
            )
        }
        let remedy = entries["remedy"].flatMap { reader.text($0, what: "references.remedy") }
        return FrameworkReferences(
            layout: layout,
            sources: sources ?? "",
            folder: place ?? "",
            path: path,
            remedy: remedy ?? "Switch recording off in the tests."
        )
    }

    /// Decodes a path that must begin with a folder of the lease in braces, such as `{captures}/a`.
    ///
    /// Reports any other path as a mistake. Returns `nil` only if the node is no text.
    private mutating func folder(_ node: DocumentNode, what: String) -> String? {
        guard let text = placeholderText(node, what: what) else { return nil }
        if !LeasePlaces.isInside(text) {
            reader.report(
                node,
                "\(what) is \"\(text)\", which is not in the lease's folder.",
                "Begin it with {lease}, {captures}, {failures}, {artifacts} or {references}."
            )
        }
        return text
    }

    private mutating func place(_ node: DocumentNode) -> PicturePlace? {
        let what = "an entry of pictures"
        guard let entries = reader.mapping(node, known: ProfileKeys.place, what: what) else {
            return nil
        }
        var place = PicturePlace(folders: [], paths: [:])
        if let folders = required("folders", entries, node, what: what) {
            place.folders = items(folders, what: "folders").compactMap {
                folder($0, what: "a folder of pictures")
            }
        }
        if let node = entries["when"] {
            place.when = reader.word(node, as: PicturePlace.When.self, what: "when") ?? .always
        }
        for role in PicturePlace.Role.allCases {
            guard let node = entries[role.rawValue],
                let pattern = pattern(node, what: role.rawValue)
            else { continue }
            place.paths[role] = pattern
            // References and differences may take the name from the test's own picture.
            let isOwn = role == .capture || role == .failed
            if isOwn, !pattern.fields.isSuperset(of: [.suite, .name]) {
                reader.report(
                    node,
                    "the pattern of \(role.rawValue) does not say {suite} and {name}.",
                    "Write a fixed text as {name=result}."
                )
            }
        }
        if place.paths.isEmpty {
            reader.report(
                node,
                "\(what) says no pictures.",
                "Add one of \(ProfileKeys.roles.joined(separator: ", "))."
            )
        }
        if let node = entries["ignored"] {
            place.ignored = items(node, what: "ignored").compactMap {
                pattern($0, what: "a pattern of ignored")
            }
        }
        if let node = entries["needs"] { place.needs = needs(node, of: place) }
        return place
    }

    private mutating func needs(
        _ node: DocumentNode,
        of place: PicturePlace
    ) -> [[PicturePlace.Role]] {
        items(node, what: "needs").map { item in
            let words = reader.isList(item) ? items(item, what: "needs") : [item]
            return words.compactMap { word in
                let role = reader.word(word, as: PicturePlace.Role.self, what: "role")
                if let role, place.paths[role] == nil {
                    reader.report(
                        word,
                        "needs names \(role.rawValue), which this entry does not have.",
                        "Add `\(role.rawValue): …`."
                    )
                }
                return role
            }
        }
    }

    // MARK: names, owners, messages

    mutating func pattern(_ node: DocumentNode, what: String) -> PicturePattern? {
        guard let text = reader.text(node, what: what) else { return nil }
        do throws(PicturePatternError) {
            return try PicturePattern(text)
        } catch {
            reader.report(node, "\(what): \(error.message)", error.remedy)
            return nil
        }
    }

    private mutating func spelling(_ node: DocumentNode) -> NameSpelling? {
        guard
            let entries = reader.mapping(node, known: ProfileKeys.spelling, what: "spelling"),
            let letters = required("replace", entries, node, what: "spelling"),
            let sign = required("by", entries, node, what: "spelling"),
            let replace = reader.word(letters, as: NameSpelling.Letters.self, what: "replace"),
            let by = reader.text(sign, what: "by")
        else { return nil }
        var spelling = NameSpelling(replace: replace, by: by)
        if let node = entries["unit"] {
            spelling.unit = reader.word(node, as: NameSpelling.Unit.self, what: "unit") ?? .run
        }
        if let node = entries["trim"] {
            spelling.trim = reader.word(node, as: NameSpelling.Trim.self, what: "trim") ?? .nothing
        }
        if let node = entries["lowercase"] {
            spelling.isLowercase = reader.boolean(node, what: "lowercase") ?? false
        }
        return spelling
    }

    private mutating func owner(_ node: DocumentNode) -> OwnerRule? {
        if reader.isMap(node) {
            guard let entries = reader.mapping(node, known: ["test"], what: "a rule of owner"),
                let test = required("test", entries, node, what: "a rule of owner")
            else { return nil }
            return pattern(test, what: "owner.test").map { .test($0) }
        }
        switch reader.text(node, what: "a rule of owner") {
        case "class": return .testClass
        case "suite": return .suite
        case "message": return .message
        case let other:
            reader.report(
                node,
                "unknown rule of owner \"\(other ?? "")\".",
                "Known: \(ProfileKeys.ownerWords.joined(separator: ", ")), or `test: PATTERN`."
            )
            return nil
        }
    }

    private mutating func messages(_ node: DocumentNode) -> FrameworkVocabulary {
        guard let entries = reader.mapping(node, known: ProfileKeys.messages, what: "messages")
        else { return FrameworkVocabulary() }
        var texts: [String: [String]] = [:]
        for key in ["follows", "lines"] {
            texts[key] = entries[key].map { list in
                items(list, what: "messages.\(key)").compactMap {
                    reader.text($0, what: "a line of messages.\(key)")
                }
            }
        }
        return FrameworkVocabulary(
            recorded: messages(entries["recorded"], what: "messages.recorded"),
            differs: messages(entries["differs"], what: "messages.differs"),
            missing: messages(entries["missing"], what: "messages.missing"),
            follows: texts["follows"] ?? [],
            lines: texts["lines"] ?? [],
            remedy: entries["remedy"].flatMap { reader.text($0, what: "messages.remedy") }
        )
    }

    private mutating func messages(_ node: DocumentNode?, what: String) -> [FrameworkMessage] {
        guard let node else { return [] }
        return items(node, what: what).compactMap { item in
            guard reader.isMap(item) else {
                return reader.text(item, what: "a message").map { FrameworkMessage($0) }
            }
            guard let entries = reader.mapping(item, known: ProfileKeys.message, what: "a message"),
                let begins = required("begins", entries, item, what: "a message"),
                let beginning = reader.text(begins, what: "begins")
            else { return nil }
            let also = entries["also"].flatMap { reader.text($0, what: "also") }
            return FrameworkMessage(beginning, also: also ?? "")
        }
    }

    // MARK: helpers

    private mutating func items(_ node: DocumentNode, what: String) -> [DocumentNode] {
        let items = reader.list(node, what: what)
        if items.count > FarmLimits.rulesMax {
            reader.report(node, "\(what) has \(items.count).", "At most \(FarmLimits.rulesMax).")
        }
        return items
    }

    private mutating func required(
        _ key: String,
        _ entries: [String: DocumentNode],
        _ node: DocumentNode,
        what: String
    ) -> DocumentNode? {
        if entries[key] == nil {
            reader.report(node, "\(what) has no \(key).", "Add `\(key): …`.")
        }
        return entries[key]
    }
}
