/// A command that makes a connection usable, with its expected reply.
package struct Greeting: Hashable, Sendable {
    package enum Reply: Hashable, Sendable {
        /// Any reply but an error.
        case success
        /// The reply to `INFO server`, from which the server ID is read; an error means that it is not permitted.
        case information
        /// The reply of a master to `ROLE`.
        case master
    }

    package let command: RESPCommand
    package let reply: Reply

    package init(_ command: RESPCommand, _ reply: Reply = .success) {
        self.command = command
        self.reply = reply
    }

    /// Returns the greeting for a Redis at `address`: authentication, the database, server information, and a check
    /// that it replies.
    /// - Parameter scripts: Scripts to load; if there are any, the server ID is requested too.
    package static func all(for address: RedisAddress, scripts: [String] = []) -> [Greeting] {
        var greetings: [Greeting] = []
        if let authentication = authentication(for: address) { greetings.append(Greeting(authentication)) }
        if case .master = address.place { greetings.append(Greeting(RESPCommand("ROLE"), .master)) }
        if address.database != 0 { greetings.append(Greeting(RESPCommand("SELECT", String(address.database)))) }
        if !scripts.isEmpty { greetings.append(Greeting(RESPCommand("INFO", "server"), .information)) }
        greetings += scripts.map { Greeting(RESPCommand("SCRIPT", "LOAD", $0)) }
        greetings.append(Greeting(RESPCommand("PING")))
        return greetings
    }

    /// Returns the AUTH command; `nil` without a password.
    static func authentication(for address: RedisAddress) -> RESPCommand? {
        guard let password = address.password else { return nil }
        return address.user.map { RESPCommand("AUTH", $0, password) } ?? RESPCommand("AUTH", password)
    }

    /// Returns the process ID in a reply to `INFO server`; it changes with each start.
    static func serverID(_ reply: RESPValue) -> String? {
        reply.text?.split(whereSeparator: \.isNewline).lazy
            .first { $0.hasPrefix("run_id:") }.map { String($0.dropFirst("run_id:".count)) }
    }
}
