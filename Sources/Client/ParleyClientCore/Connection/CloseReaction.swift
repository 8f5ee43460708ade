/// The reaction of a client to the end of a connection. docs/clients.md contains the table and the reasons.
package enum CloseReaction: String, CaseIterable, Hashable, Sendable {
    /// The credentials are refused or invalid, and the user must sign in again.
    case signOut = "sign-out"
    /// The client does not reconnect automatically.
    case stop
    /// The client connects with new credentials, the first time without a delay.
    case renew
    /// The client connects after the delay of `bye`, or after a random delay plus the back-off.
    case moment
    /// The client connects immediately, and with the back-off if that connection ends the same way.
    case now
    /// The client connects after a pause plus the back-off, because the same error is likely to recur.
    case later
    /// The client connects after the back-off.
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
