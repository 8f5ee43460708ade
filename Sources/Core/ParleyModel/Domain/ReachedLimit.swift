/// A limit that a client has reached, named after its setting in `limits.…`. The metric `parley_limits_reached_total` counts them.
package enum ReachedLimit: String, CaseIterable, Hashable, Sendable {
    case connections
    case connectionsPerUser = "connections_per_user"
    case connectionsPerAddress = "connections_per_address"
    case spareConnections = "spare_connections"
    case textChars = "text_chars"
    case frameBytes = "frame_bytes"
    case outboundBytes = "outbound_bytes"
    case sends
    case reads
    case typing
    case history
    case lists
    case searches
    case files
    case watches
    case resumes
    case auths
    case pings
    case loginFailuresPerAccount = "login_failures_per_account_per_minute"
    case loginFailuresPerAccountTotal = "login_failures_per_account_total_per_minute"
    case loginFailuresPerAddress = "login_failures_per_address_per_minute"
    case signUpsPerAddress = "signups_per_address_per_minute"

    /// The limit of a budget.
    package init(_ kind: BudgetKind) {
        switch kind {
        case .sends: self = .sends
        case .reads: self = .reads
        case .typing: self = .typing
        case .history: self = .history
        case .lists: self = .lists
        case .searches: self = .searches
        case .files: self = .files
        case .watches: self = .watches
        case .resumes: self = .resumes
        case .auths: self = .auths
        case .pings: self = .pings
        }
    }
}
