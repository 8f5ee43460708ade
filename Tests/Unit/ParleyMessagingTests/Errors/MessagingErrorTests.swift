import ParleyAccounts
import ParleyMessaging
import ParleyModel
import Testing

@Suite("The table of errors")
struct MessagingErrorTests {
    /// What a cause is for a client.
    struct Row: Sendable {
        let cause: any Error
        let code: ErrorCode
        let message: String
        var retryAfter: Int64?
        /// For the log.
        var detail: String?

        init(
            _ cause: any Error, _ code: ErrorCode, _ message: String, retryAfter: Int64? = nil, detail: String? = nil
        ) {
            self.cause = cause
            self.code = code
            self.message = message
            self.retryAfter = retryAfter
            self.detail = detail
        }
    }

    private struct Unknown: Error, CustomStringConvertible {
        let description = "a bug"
    }

    private static let failure = "internal server error; the server's log has the cause"
    private static let ownPassword =
        "only users who have logged in with a password may change it; others get one from an operator"

    static let rows: [Row] = [
        // Rules
        Row(MessagingError.invalid("no"), .badRequest, "no"),
        Row(MessagingError.tooLarge("no"), .tooLarge, "no"),
        Row(MessagingError.notAMember, .notAMember, "you are not a member of this thread"),
        Row(MessagingError.conflict("no"), .conflict, "no"),
        Row(
            MessagingError.rateLimited(afterMilliseconds: 50), .rateLimited, "too many attempts; try again in 1 s",
            retryAfter: 50),
        Row(InvalidMessagePart("no"), .badRequest, "no"),
        Row(RightsViolation.readOnly, .forbidden, RightsViolation.readOnly.explanation),
        Row(RightsViolation.goneMessage, .notFound, RightsViolation.goneMessage.explanation),
        // Authentication
        Row(AuthFailure.unauthorized("no"), .unauthorized, "no"),
        Row(AuthFailure.forbidden("no"), .forbidden, "no"),
        Row(
            AuthFailure.rateLimited(retryAfterSeconds: 7), .rateLimited, "too many attempts; try again in 7 s",
            retryAfter: 7000),
        Row(AuthFailure.unavailable("away"), .unavailable, "away", retryAfter: 500),
        Row(AccountError.badInput("no"), .badRequest, "no"),
        Row(AccountError.nameTaken, .forbidden, "the username is taken, or looks like one that is"),
        Row(AccountError.signupClosed, .forbidden, "sign-up is disabled"),
        Row(AccountError.passwordNotAllowed, .forbidden, ownPassword),
        Row(AccountError.wrongCredentials, .unauthorized, "wrong username or password"),
        Row(
            AccountError.rateLimited(retryAfterSeconds: 7), .rateLimited, "too many attempts; try again in 7 s",
            retryAfter: 7000),
        Row(AccountError.unavailable("away"), .unavailable, "away", retryAfter: 500),
        // Backends
        Row(
            StoreError.unavailable("full"), .unavailable, "the database is unavailable or too busy", retryAfter: 500,
            detail: "full"),
        Row(StoreError.taken, .conflict, "the name or id is taken"),
        Row(
            StoreError.noAvatar, .notFound, "no such user, or the picture is not a complete image of your own"),
        Row(StoreError.failed("damaged"), .internal, failure, retryAfter: 500, detail: "damaged"),
        Row(MessagingError.rolledBack("restored"), .rolledBack, "restored"),
        Row(AppendError.conflict, .conflict, "the client_id was used for something else"),
        Row(
            AppendError.unavailable("late"), .unavailable, "the message log is unavailable or too busy",
            retryAfter: 500, detail: "late"),
        Row(
            SharedStoreError.unavailable("cut"), .unavailable, "Redis is unavailable or too busy", retryAfter: 500,
            detail: "cut"),
        Row(
            AuthFailure.suspended(Suspension(until: 0, reason: "spam")), .suspended,
            "this account is suspended until 1970-01-01T00:00:00Z: spam"),
        Row(AccountError.suspended(Suspension()), .suspended, "this account is suspended"),
        Row(CancellationError(), .unavailable, "the server is stopping", retryAfter: 500),
        Row(Unknown(), .internal, failure, retryAfter: 500, detail: "a bug"),
    ]

    @Test("each cause has one code, one text for the client and one for the log", arguments: rows)
    func row(_ row: Row) {
        let error = MessagingError(row.cause)
        #expect(error.code == row.code)
        #expect(error.message == row.message)
        #expect(error.retryAfterMilliseconds == row.retryAfter)
        #expect(error.cause == row.detail)
    }

    @Test("every code has a cause")
    func complete() {
        #expect(Set(Self.rows.map(\.code)) == Set(ErrorCode.allCases))
    }

    @Test(
        "violations of a role are forbidden, messages that are gone are not found", arguments: RightsViolation.allCases)
    func rights(_ violation: RightsViolation) {
        let error = MessagingError(violation)
        #expect(error.code == (violation == .goneMessage ? .notFound : .forbidden))
        #expect(error.message == violation.explanation)
    }
}
