import ParleyJSON

/// The JWT claim that grants operator rights: `name`, whose value must be `true`, or `name=value`, whose value must be
/// the string `value` or a list that contains it.
///
/// Names and values are compared byte by byte. The name belongs to a top-level member: dots and slashes have no
/// meaning, and nested members cannot be named.
package struct OperatorClaim: Hashable, Sendable {
    /// Maximum length of the setting, in bytes.
    package static let maximumBytes = 1024
    /// The allowed values, for the error text of the setting.
    package static let allowed = "the name of a claim, or name=value"

    private let name: String
    private let value: String?

    /// - Returns: `nil` unless there is a name before the first `=` and a value after it.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, let name = parts.first, !name.isEmpty, parts.last != "" else {
            return nil
        }
        self.name = String(name)
        value = parts.count > 1 ? String(parts[1]) : nil
    }

    /// - Parameter claims: the claims of a token with a valid signature.
    package func isMet(by claims: JOSEObject) -> Bool {
        guard let claim = claims[name] else { return false }
        guard let value else { return claim == .bool(true) }
        let texts = claim.text.map { [$0] } ?? claim.texts ?? []
        return texts.contains { $0.utf8.elementsEqual(value.utf8) }
    }
}
