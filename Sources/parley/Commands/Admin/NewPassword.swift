import ArgumentParser
import Foundation
import ParleyAccounts

/// Where a new password comes from: a line of standard input, or nowhere, and then it is made and shown once.
struct NewPassword: ParsableArguments {
    @Flag(help: "Read the password from standard input; without this one is made and printed.")
    var passwordStdin = false

    /// - Returns: the password, and what is to be printed of it.
    func read() throws -> (password: String, shown: String?) {
        guard passwordStdin else {
            let made = SessionTokens.make().token
            return (made, "password: \(made)")
        }
        guard let line = readLine() else { throw ValidationError("there is no password on standard input") }
        if let violation = PasswordRules.violation(in: line) { throw ValidationError(violation) }
        return (line, nil)
    }
}
