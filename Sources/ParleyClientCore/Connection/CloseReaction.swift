/// What a client does after the end of a connection. docs/clients.md has the table, and why it is so.
package enum CloseReaction: String, CaseIterable, Hashable, Sendable {
    /// The credentials are refused or void: the user has to sign in again.
    case signOut = "sign-out"
    /// The client does not connect by itself.
    case stop
    /// It connects with fresh credentials, at once for the first time.
    case renew
    /// It connects after the delay of `bye`, or after a random moment and the back-off.
    case moment
    /// It connects at once, and with the back-off if that ends so too.
    case now
    /// It connects after a pause and the back-off, since the same is likely to happen again.
    case later
    /// It connects after the back-off.
    case backOff = "back-off"

    /// - Parameter code: The code of the close frame; `nil` if there was none.
    package init(code: Int?) {
        self =
            switch code {
            case 4000, 4001: .signOut
            case .some(4002...4099): .stop
            case .some(4100...4199): .renew
            case .some(4200...4299): .moment
            case .some(4300...4399): .now
            case 1002, 1003, 1007, 1009, 1013: .later
            default: .backOff
            }
    }
}
