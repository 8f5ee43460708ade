/// The tickets of a scenario run, numbered in the order of their issue: those in `hello` and `bye`, and those from
/// `POST /v1/tickets`.
struct ScenarioTickets {
    private let prefix: String
    /// The number of the newest ticket.
    private(set) var issued = 0
    /// Tickets up to this number are refused.
    private(set) var refusedThrough = 0

    init(session: String) { prefix = "t.\(session)." }

    mutating func issue() -> String {
        issued += 1
        return "\(prefix)\(issued)"
    }

    /// Refuses the existing tickets. Later ones are valid.
    mutating func refuseIssued() { refusedThrough = issued }

    /// - Returns: `nil` if the ticket was not issued in this run.
    func number(of ticket: String) -> Int? {
        guard ticket.hasPrefix(prefix), let number = Int(ticket.dropFirst(prefix.count)) else { return nil }
        return number >= 1 && number <= issued ? number : nil
    }
}
