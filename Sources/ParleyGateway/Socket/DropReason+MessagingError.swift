import ParleyMessaging
import ParleySession

extension DropReason {
    /// Why a command of a classic, direct or line client is dropped; these clients are told nothing.
    init(_ error: MessagingError) {
        switch error {
        case .invalid: self = .badText
        case .tooLarge: self = .textTooLong
        case .forbidden: self = .readOnly
        case .notFound, .notAMember: self = .notAMember
        case .conflict, .rateLimited, .unavailable: self = .refusedByLog
        }
    }
}
