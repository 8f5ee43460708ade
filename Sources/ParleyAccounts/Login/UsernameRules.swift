import Foundation

/// What a user name may be, as Django's `UnicodeUsernameValidator` has it: 1 to 150 letters, digits and `@.+-_` after
/// NFKC normalisation (`AbstractBaseUser.normalize_username`).
package enum UsernameRules {
    /// The longest name, in Unicode scalars, normalised.
    package static let maximumScalars = 150
    /// The longest text that is looked at, in bytes of UTF-8.
    package static let maximumBytes = 4096

    /// For the client.
    package static let explanation =
        "the username must have 1 to \(maximumScalars) characters; allowed are letters, digits and @ . + - _"

    /// The name in the form it is stored and sought in; `nil` if it can be no user name.
    package static func normalized(_ text: String) -> String? {
        guard text.utf8.count <= maximumBytes else { return nil }
        // ASCII is normalised already.
        let name = text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
        guard (1...maximumScalars).contains(name.unicodeScalars.count), name.unicodeScalars.allSatisfy(allows) else {
            return nil
        }
        return name
    }

    /// `[\w.@+-]` of Python: `\w` is what `str.isalnum` says, and the underscore.
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
