import Foundation

/// The claim of a JWT that makes its bearer an operator: `name`, which must be `true` then, or `name=value`, which must be
/// the text `value` or a list of texts with it.
///
/// Names and values are compared byte by byte. The name is that of a member of the token's object as it stands: dots
/// and slashes in it mean nothing, and what is nested deeper cannot be named.
package struct OperatorClaim: Hashable, Sendable {
    /// The longest text of the setting, in bytes.
    package static let maximumBytes = 1024
    /// For the error that names what the setting allows.
    package static let allowed = "the name of a claim, or name=value"

    private let name: String
    private let value: String?

    /// - Returns: `nil` unless there is a name before the first `=`, and a value after it.
    package init?(_ text: String) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard text.utf8.count <= Self.maximumBytes, let name = parts.first, !name.isEmpty, parts.last != "" else {
            return nil
        }
        self.name = String(name)
        value = parts.count > 1 ? String(parts[1]) : nil
    }

    /// - Parameter payload: the JSON of a token whose signature is right.
    func isMet(by payload: [UInt8]) -> Bool {
        guard let claims = try? JSONDecoder().decode([String: Claim].self, from: Data(payload)) else { return false }
        guard let claim = claims.first(where: { $0.key.utf8.elementsEqual(name.utf8) })?.value else { return false }
        guard let value else { return claim == .flag(true) }
        guard case .texts(let texts) = claim else { return false }
        return texts.contains { $0.utf8.elementsEqual(value.utf8) }
    }

    /// A member of the token, as far as it can be a claim of operators.
    private enum Claim: Hashable, Decodable {
        case flag(Bool)
        /// A text, or those of a list.
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
