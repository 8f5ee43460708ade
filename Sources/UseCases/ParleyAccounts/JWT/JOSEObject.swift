import ParleyJSON

/// A JSON object of a JWT or a JWK set, whose members are each of the expected kind, or absent, or `null`.
///
/// An object with a duplicate name is invalid: two readers might use different values (RFC 7519 §4).
package struct JOSEObject {
    /// A member has another kind than expected.
    package struct WrongKind: Error {}

    private let members: JSONTree

    /// - Returns: `nil` for what is no JSON object.
    package init?(_ json: [UInt8]) {
        guard let tree = try? JSONTree(parsing: json) else { return nil }
        self.init(tree)
    }

    init?(_ tree: JSONTree) {
        guard case .members = tree else { return nil }
        members = tree
    }

    /// The value of a member; `nil` if it is absent or `null`.
    subscript(name: String) -> JSONTree? {
        switch members[name] {
        case nil, .null: nil
        case let value: value
        }
    }

    func text(_ name: String) throws(WrongKind) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.text else { throw WrongKind() }
        return text
    }

    func texts(_ name: String) throws(WrongKind) -> [String]? {
        guard let value = self[name] else { return nil }
        guard let texts = value.texts else { throw WrongKind() }
        return texts
    }

    func number(_ name: String) throws(WrongKind) -> Double? {
        switch self[name] {
        case nil: return nil
        case .integer(let number): return Double(number)
        case .number(let number): return number
        default: throw WrongKind()
        }
    }
}

extension JSONTree {
    /// The elements of a list of nothing but texts.
    var texts: [String]? {
        guard let elements else { return nil }
        let texts = elements.compactMap(\.text)
        return texts.count == elements.count ? texts : nil
    }
}
