import ParleyWire

/// The reason that a client's frame was dropped; a metric label.
package enum DropReason: String, CaseIterable, Hashable, Sendable {
    case malformed
    case unknownCommand = "unknown_command"
    case badText = "bad_text"
    case textTooLong = "text_too_long"
    case notAMember = "not_a_member"
    case readOnly = "read_only"
    case unknownUser = "unknown_user"
    case refusedByLog = "refused_by_log"

    init(_ violation: CommandError) {
        switch violation {
        case .unknownCommand: self = .unknownCommand
        case .badText: self = .badText
        case .malformed, .missing, .badThread, .badName: self = .malformed
        }
    }
}
