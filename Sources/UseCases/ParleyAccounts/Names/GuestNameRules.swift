import Foundation
import ParleyModel

/// The rules for names that guests of the line listener choose.
package enum GuestNameRules {
    /// Maximum length, in Unicode scalars.
    package static let maximumScalars = 30

    /// The name that a guest gets: normalised (NFKC) and without spaces at its ends. `nil` if it is not allowed: it needs
    /// 1 to 30 characters, something visible, no colon, no space but the common one, and no control or invisible
    /// character.
    package static func normalized(_ text: String) -> String? {
        let name = text.precomposedStringWithCompatibilityMapping
        let isSpace: (Unicode.Scalar) -> Bool = { $0.properties.isWhitespace }
        let head = name.unicodeScalars.drop(while: isSpace)
        let end = head.lastIndex { !isSpace($0) }.map { head.index(after: $0) } ?? head.startIndex
        let scalars = head[..<end]
        guard (1...maximumScalars).contains(scalars.count), scalars.allSatisfy(allows) else { return nil }
        return DisplayText.violation(in: String(scalars)) == nil ? String(scalars) : nil
    }

    private static func allows(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case ":": return false
        case " ": return true
        default: break
        }
        if scalar.properties.isWhitespace || DisplayText.isInvisible(scalar) { return false }
        return switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
        default: true
        }
    }
}
