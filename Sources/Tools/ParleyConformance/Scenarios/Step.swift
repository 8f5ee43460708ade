import ParleyWire

/// A step of a scenario: an action of the server, or a condition to wait for.
enum Step: Sendable {
    /// Ask the client to do something.
    case ask(Request)
    /// Perform an action of the server.
    case act(ServerAction)
    /// Let time pass.
    case rest(Duration)
    /// The client must meet a condition in time; otherwise it has broken the rule.
    case wait(Condition, within: Duration, Rule, otherwise: String)
    /// The scenario requires a condition that some clients cannot meet.
    case need(Condition, within: Duration, otherwise: String)
    /// The client must not try to connect during this time.
    case quiet(Duration, Rule, otherwise: String)
}

/// A request to the client, or to the person who uses it.
enum Request: Hashable, Sendable {
    case send(String)
    /// Edit the user's newest message.
    case edit(String)
    case read
    case typing
}

/// An action of the server.
enum ServerAction: Sendable {
    /// Answer the next messages in these ways, one after another, and all later ones normally.
    case answer([SendAnswer])
    /// Send messages from another user.
    case post(Int)
    /// Log a message of another user twice, as can happen to a send that is repeated while the database is unavailable.
    case postTwice
    /// Send messages from another user without informing the client, now or later on this connection.
    case hide(Int)
    /// Report the hidden messages.
    case sayBehind
    /// Repeat the newest events.
    case repeatEvents(Int)
    /// Send an event of an unknown type.
    case postUnknown
    /// Send unknown frames and fields.
    case sendUnknown
    /// Send a message of the maximum length, and a page of the maximum size after it.
    case postLarge
    /// Lose everything that is not stored, and inform a connected client.
    case rollBack
    /// Close the connection without a close frame.
    case cut
    case close(UInt16)
    /// Announce the end, and close with 4200 at that time.
    case bye(milliseconds: Int64)
    /// Refuse the next attempts, each for its given time.
    case refuse([Refusal])
    /// Refuse every attempt permanently, with 403.
    case forbid
    /// Start or stop refusing every attempt.
    case refuseAll(Bool)
    /// Refuse the existing tickets. Later ones are valid.
    case refuseTickets
    /// Answer resumes with `page` instead of events.
    case answerWithPage
    /// Ignore read marks or edits.
    case ignore(Ignored, Bool)
    /// Neither send nor answer anything on this connection.
    case goDeaf
}

enum Ignored: Hashable, Sendable { case reads, edits }

/// The server's answer to a message.
enum SendAnswer: Hashable, Sendable {
    /// Accept, deliver and store the message.
    case normal
    /// Answer like `normal`, after a delay.
    case late(milliseconds: Int64)
    /// Neither log nor answer the message.
    case dropped
    /// Log the message without an answer and without delivery.
    case silent
    /// Accept and deliver the message without storing it.
    case accepted
    /// Answer like `accepted`, and forget the message. A repetition gets a second position in the log.
    case forgotten
    case refused(V1ErrorCode, retryAfter: Int64?)
}

/// A refused handshake.
struct Refusal: Hashable, Sendable {
    let status: Int
    /// The value of `Retry-After` in seconds.
    let retryAfter: Int
}

/// A condition of a scenario. Numbers are counted from its start.
enum Condition: Hashable, Sendable {
    /// This number of connections was accepted, and the latest is open and past its first command.
    case connected(Int)
    /// This number of messages was sent.
    case sent(Int)
    /// This number of messages is confirmed.
    case confirmed(Int)
    /// The client has received or fetched all events.
    case caughtUp
    /// The client has reloaded the room.
    case reloaded
    /// A ping arrived on the silent connection.
    case pinged
    /// A connection attempt was refused with 403.
    case forbidden
    case readMarks(Int)
    case edits(Int)
    case typings(Int)
}
