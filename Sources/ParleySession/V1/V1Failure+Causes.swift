package import ParleyModel
package import ParleyWire

/// What a v1 session refuses, in words.
extension V1Failure {
    package static let stranger = V1Failure(.notAMember, "you are no member of this thread")
    static let unknownThread = V1Failure(.notFound, "there is no such thread")
    static let unknownMessage = V1Failure(.notFound, "there is no such message in this thread")
    static let lateResume = V1Failure(
        .badRequest, "resume is allowed only as the first command, within a second of hello")
    static let tooManyUnstored = V1Failure(
        .unavailable, "too many messages wait to be stored; send without \"ack\":\"stored\", or later",
        retryAfterMilliseconds: 1000)
    package static let away = V1Failure(
        .unavailable, "a service that this needs is away; try again", retryAfterMilliseconds: 500)

    /// Why a member may not do something.
    package init(_ flaw: RightsFlaw) {
        switch flaw {
        case .goneMessage: self.init(.notFound, flaw.explanation)
        case .readOnly, .notTheAuthor, .notTheirs, .notTheOwner, .notAModerator, .directThread:
            self.init(.forbidden, flaw.explanation)
        }
    }

    /// Why the log did not take an event.
    package init(_ error: AppendError) {
        switch error {
        case .conflict: self.init(.conflict, "this client_id was used before for another message or thread")
        case .unavailable:
            self.init(.unavailable, "the message was not accepted; send it again", retryAfterMilliseconds: 500)
        }
    }

    /// - Parameter wait: microseconds until the next send is allowed.
    static func overRate(_ wait: Int64) -> V1Failure {
        V1Failure(.rateLimited, "too many sends", retryAfterMilliseconds: (wait + 999) / 1000)
    }
}
