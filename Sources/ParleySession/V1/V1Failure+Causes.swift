import ParleyModel
package import ParleyWire

/// The rejections of a v1 session.
extension V1Failure {
    package static let stranger = V1Failure(.notAMember, "you are no member of this thread")
    static let unknownThread = V1Failure(.notFound, "there is no such thread")
    static let lateResume = V1Failure(
        .badRequest, "resume is allowed only as the first command, within a second of hello")
    static let tooManyUnstored = V1Failure(
        .unavailable, "too many messages wait to be stored; send without \"ack\":\"stored\", or later",
        retryAfterMilliseconds: 1000)
    package static let away = V1Failure(
        .unavailable, "a service that this needs is away; try again", retryAfterMilliseconds: 500)

    /// - Parameter wait: microseconds until the next one is allowed.
    static func over(_ budget: BudgetKind, _ wait: Int64) -> V1Failure {
        V1Failure(.rateLimited, "too many \(budget.plural)", retryAfterMilliseconds: (wait + 999) / 1000)
    }
}
