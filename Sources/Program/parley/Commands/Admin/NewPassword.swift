import ArgumentParser
import Foundation
import ParleyAccounts

/// The source of a new password: a line of standard input, or a generated one that is printed once.
struct NewPassword: ParsableArguments {
    @Flag(help: "Read the password from standard input instead of generating and printing one.")
    var passwordStdin = false

    /// - Returns: the password, and the text to print; `shown` is `nil` if the password was given.
    func read() throws -> (password: String, shown: String?) {
        guard passwordStdin else {
            let made = SessionTokens.make().token
            return (made, "password: \(made)")
        }
        guard let line = readLine() else { throw ValidationError("no password on standard input") }
        if let violation = PasswordRules.violation(in: line) { throw ValidationError(violation) }
        return (line, nil)
    }
}
