import ParleyMessaging
import ParleyModel

/// Users whom requests name.
extension RESTServices {
    /// The user whom the path parameter `user` names.
    func userReference<Caller>(_ context: CallContext<Caller>) -> UserReference {
        messaging.reference(context.parameter("user") ?? "")
    }

    /// The user whom the field `user` names.
    func userReference(_ fields: Fields) throws(APIError) -> UserReference {
        switch try fields.idValue("user") {
        case .text(let text): messaging.reference(text)
        case .number(let digits): UserReference(id: digits)
        }
    }
}
