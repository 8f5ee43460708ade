import ParleyMessaging
import ParleyModel

/// The users that requests refer to.
extension RESTServices {
    /// Returns the reference in the path parameter `user`.
    func userReference<Caller>(_ context: CallContext<Caller>) -> UserReference {
        messaging.reference(context.parameter("user") ?? "")
    }

    /// Returns the reference in the field `user`.
    func userReference(_ fields: Fields) throws(APIError) -> UserReference {
        switch try fields.idValue("user") {
        case .text(let text): messaging.reference(text)
        case .number(let digits): UserReference(id: digits)
        }
    }
}
