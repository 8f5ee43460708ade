import Foundation

/// The JWT claim that grants operator rights: `name`, whose value must be `true`, or `name=value`, whose value must be
/// the string `value` or a list that contains it.
///
/// Names and values are compared byte by byte. The name is that of a top-level member: dots and slashes have no
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

    /// - Parameter payload: the JSON of a token whose signature was verified.
    func isMet(by payload: [UInt8]) -> Bool {
        guard let claims = try? JSONDecoder().decode([String: Claim].self, from: Data(payload)) else { return false }
        guard let claim = claims.first(where: { $0.key.utf8.elementsEqual(name.utf8) })?.value else { return false }
        guard let value else { return claim == .flag(true) }
        guard case .texts(let texts) = claim else { return false }
        return texts.contains { $0.utf8.elementsEqual(value.utf8) }
    }

    /// A token member whose type an operator claim can have.
    private enum Claim: Hashable, Decodable {
        case flag(Bool)
        /// A string, or the strings of a list.
        case texts([String])
        case other

        init(from decoder: any Decoder) throws {
            if let value = try? decoder.singleValueContainer() {
                if let flag = try? value.decode(Bool.self) {
                    self = .flag(flag)
                    return
                }
                if let text = try? value.decode(String.self) {
                    self = .texts([text])
                    return
                }
                if let texts = try? value.decode([String].self) {
                    self = .texts(texts)
                    return
                }
            }
            self = .other
        }
    }
}
