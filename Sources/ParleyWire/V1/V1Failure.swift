/// Why a command was not carried out.
package struct V1Failure: Error, Hashable, Sendable {
    package var code: V1ErrorCode
    /// What was wrong and what is allowed, in plain words.
    package var message: String
    /// When it makes sense to try again, in milliseconds from now.
    package var retryAfterMilliseconds: Int64?

    package init(_ code: V1ErrorCode, _ message: String, retryAfterMilliseconds: Int64? = nil) {
        self.code = code
        self.message = message
        self.retryAfterMilliseconds = retryAfterMilliseconds
    }

    package init(_ violation: V1CommandError) {
        self.init(violation.code, violation.message)
    }
}
