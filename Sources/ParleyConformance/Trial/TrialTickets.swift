/// The tickets of a trial, numbered in the order in which they were issued: those of `hello` and `bye`, and those of
/// `POST /v1/tickets`.
struct TrialTickets {
    private let prefix: String
    /// The number of the newest.
    private(set) var issued = 0
    /// Tickets up to this number are refused.
    private(set) var refusedThrough = 0

    init(session: String) { prefix = "t.\(session)." }

    mutating func issue() -> String {
        issued += 1
        return "\(prefix)\(issued)"
    }

    /// Those that exist are refused from now on; later ones are valid.
    mutating func refuseIssued() { refusedThrough = issued }

    /// - Returns: `nil` if it was not issued in this trial.
    func number(of ticket: String) -> Int? {
        guard ticket.hasPrefix(prefix), let number = Int(ticket.dropFirst(prefix.count)) else { return nil }
        return number >= 1 && number <= issued ? number : nil
    }
}
