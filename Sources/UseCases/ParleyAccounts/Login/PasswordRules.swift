/// The rules for new passwords. Passwords are not normalised, as in Django.
package enum PasswordRules {
    /// In Unicode scalars.
    package static let minimumScalars = 8
    /// In bytes of UTF-8; bounds the time that hashing takes.
    package static let maximumBytes = 4096

    /// The reason that a password is invalid; `nil` if it is valid.
    package static func violation(in password: String) -> String? {
        if password.unicodeScalars.count < minimumScalars {
            return "the password is too short; it must have at least \(minimumScalars) characters"
        }
        if password.utf8.count > maximumBytes {
            return "the password is too long; it may have at most \(maximumBytes) bytes"
        }
        return nil
    }
}
