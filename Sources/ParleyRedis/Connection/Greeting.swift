/// A command that makes a connection usable, and what its answer must be.
package struct Greeting: Hashable, Sendable {
    package enum Reply: Hashable, Sendable {
        /// No error.
        case success
        /// What `INFO server` tells, for the server's id; an error means that we may not know it.
        case information
        /// What `ROLE` tells: that this is a master.
        case master
    }

    package let command: RESPCommand
    package let reply: Reply

    package init(_ command: RESPCommand, _ reply: Reply = .success) {
        self.command = command
        self.reply = reply
    }

    /// What a Redis at `address` is greeted with: who we are, which database, what is to be known, and whether it
    /// answers.
    /// - Parameter scripts: loaded, and then the server's id is asked for too.
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

    /// `nil` if nobody asks who we are.
    static func authentication(for address: RedisAddress) -> RESPCommand? {
        guard let password = address.password else { return nil }
        return address.user.map { RESPCommand("AUTH", $0, password) } ?? RESPCommand("AUTH", password)
    }

    /// The id of the process that answered `INFO server`; it changes with each start.
    static func serverID(_ reply: RESPValue) -> String? {
        reply.text?.split(whereSeparator: \.isNewline).lazy
            .first { $0.hasPrefix("run_id:") }.map { String($0.dropFirst("run_id:".count)) }
    }
}
