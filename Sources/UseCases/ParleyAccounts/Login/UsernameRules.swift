import Foundation
import ParleyModel

/// The rules for user names, as of Django's `UnicodeUsernameValidator`: 1 to 150 letters, digits and `@.+-_` after NFKC
/// normalisation (`AbstractBaseUser.normalize_username`).
package enum UsernameRules {
    /// Maximum length of a normalised name, in Unicode scalars.
    package static let maximumScalars = 150
    /// Maximum length of a text before normalisation, in bytes of UTF-8.
    package static let maximumBytes = 4096

    /// The rules, for the client.
    package static let explanation =
        "the username must have 1 to \(maximumScalars) characters; allowed are letters, digits and @ . + - _"

    /// The reason that a name of the form of ids cannot be chosen, for the client.
    package static let idExplanation = "the username looks like an id of a user; choose another one"

    /// The name in the form in which it is stored and looked up; `nil` if it is not valid.
    package static func normalized(_ text: String) -> String? {
        guard text.utf8.count <= maximumBytes else { return nil }
        // ASCII is normalised already.
        let name = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
        guard (1...maximumScalars).contains(name.unicodeScalars.count), name.unicodeScalars.allSatisfy(allows) else {
            return nil
        }
        return name
    }

    /// The name that a user may choose: as `normalized`, and without characters that show nothing, which the rules of
    /// Django allow as letters. Names that others bring are taken as they are.
    package static func chosen(_ text: String) -> String? {
        guard let name = normalized(text), !name.unicodeScalars.contains(where: DisplayText.isInvisible) else {
            return nil
        }
        return name
    }

    /// Python's `[\w.@+-]`: `\w` is `str.isalnum` and the underscore.
    private static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "@", ".", "+", "-", "_": true
        default:
            switch scalar.properties.generalCategory {
            case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter, .decimalNumber,
                .letterNumber, .otherNumber:
                true
            default:
                scalar.properties.numericType != nil
            }
        }
    }
}
