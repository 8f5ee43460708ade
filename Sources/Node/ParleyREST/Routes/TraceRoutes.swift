import HTTPTypes
import Hummingbird
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// Traces of single messages, for operators with an API key.
func traceRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/admin/messages/{id}/trace", for: .backEnd, budget: .lists) { _, context in
            guard let message = context.parameter("id").flatMap({ MessageID($0) }) else { throw Messaging.noTrace }
            return .json(JSONTree(try await services.messaging.trace(of: message, for: context.caller), of: message))
        }
    ]
}

extension JSONTree {
    /// The response of `GET /v1/admin/messages/{id}/trace`.
    fileprivate init(_ trace: MessageTrace, of message: MessageID) {
        self = .ordered([
            ("message_id", .text(message.text)),
            (
                "steps",
                .array(
                    trace.steps.map { step in
                        .ordered([
                            ("hop", .text(step.stamp.hop.rawValue)), ("node", .text(step.stamp.node)),
                            ("at_us", .integer(step.stamp.microseconds)), ("since_first_us", .integer(step.sinceFirst)),
                            ("after", step.before.map { .text($0.rawValue) } ?? .null),
                            ("took_us", step.sinceBefore.map { .integer($0) } ?? .null),
                            ("sockets", step.stamp.hop == .flushed ? .integer(Int64(step.stamp.sockets)) : .null),
                        ])
                    })
            ),
        ])
    }
}
