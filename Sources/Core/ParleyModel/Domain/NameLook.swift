/// The form in which usernames are compared, in addition to their exact text, so that users cannot choose a name that looks
/// like another user's.
///
/// `NameLook(of:)` of ParleyAccounts makes it, and databases store it with each user.
package struct NameLook: Hashable, Sendable {
    /// One or two keys of 32 characters, without duplicates. Names that have a key in common look alike.
    package let keys: [String]
    /// The name in lower case if it is ASCII. Two such names are compared by this text alone, since people can tell `modern` from `modem`.
    package let plain: String?

    /// A function that makes the look of a name.
    package typealias Rule = @Sendable (String) -> NameLook

    /// - Parameter shapes: The forms that names of the same look have in common. Only the first two are used.
    package init(shapes: [String], plain: String?) {
        var keys: [String] = []
        for key in shapes.prefix(2).map({ FNV1a128.hex(of: $0) }) where !keys.contains(key) { keys.append(key) }
        self.keys = keys
        self.plain = plain
    }

    /// Whether people would mistake one name for the other.
    package func isTaken(for other: NameLook) -> Bool {
        if let plain, let otherPlain = other.plain { return plain == otherPlain }
        return keys.contains { other.keys.contains($0) }
    }

    /// A rule for ASCII only, in which names are equal if they differ in nothing but the case of ASCII letters. Intended for
    /// stores in tests and in commands that create no users.
    package static let byCase: Rule = { name in
        let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
        return NameLook(shapes: [name.lowercased()], plain: isPlain ? name.lowercased() : nil)
    }
}
