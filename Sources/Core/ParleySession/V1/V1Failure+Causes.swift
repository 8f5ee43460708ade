import ParleyModel
package import ParleyWire

/// The rejections of a v1 session.
extension V1Failure {
    package static let nonMember = V1Failure(.notAMember, "you are not a member of this thread")
    static let unknownThread = V1Failure(.notFound, "there is no such thread")
    static let lateResume = V1Failure(
        .badRequest, "resume is allowed only as the first command, within a second of hello")
    static let tooManyUnstored = V1Failure(
        .unavailable, "too many messages are waiting to be stored; send without \"ack\":\"stored\", or later",
        retryAfterMilliseconds: 1000)
    package static let unavailable = V1Failure(
        .unavailable, "a required service is unavailable; try again", retryAfterMilliseconds: 500)

    /// - Parameter wait: microseconds until the next one is allowed.
    static func over(_ budget: BudgetKind, _ wait: Int64) -> V1Failure {
        V1Failure(.rateLimited, "too many \(budget.plural)", retryAfterMilliseconds: (wait + 999) / 1000)
    }
}
