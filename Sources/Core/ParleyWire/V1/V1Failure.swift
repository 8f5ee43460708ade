/// The reason that a command was rejected.
package struct V1Failure: Error, Hashable, Sendable {
    package var code: V1ErrorCode
    /// The error and the rule, for developers.
    package var message: String
    /// When to retry, in milliseconds from now.
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
