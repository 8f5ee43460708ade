import ParleyWire

/// A step of a scenario: what the server does, or what it waits for.
enum Step: Sendable {
    /// What the client is asked to do.
    case ask(Request)
    /// The server does something.
    case act(ServerAction)
    /// Time passes.
    case rest(Duration)
    /// The client must do something in time; otherwise it has broken the rule.
    case wait(Condition, within: Duration, Rule, otherwise: String)
    /// The scenario needs something that not every client has.
    case need(Condition, within: Duration, otherwise: String)
    /// The client must not try to connect for this long.
    case quiet(Duration, Rule, otherwise: String)
}

/// What the client, or the person before it, is asked to do.
enum Request: Hashable, Sendable {
    case send(String)
    /// Edit the newest message of one's own.
    case edit(String)
    case read
    case typing
}

/// What the server does.
enum ServerAction: Sendable {
    /// How the next messages are answered, one after the other; all others normally.
    case answer([SendAnswer])
    /// Somebody else sends this many messages.
    case post(Int)
    /// Somebody else's message is in the log twice, as a send may be that was repeated while the database was away.
    case postTwice
    /// As `post`, but the client is not told: neither now nor, on the present connection, later.
    case hide(Int)
    /// Says what was hidden.
    case sayBehind
    /// Sends this many of the newest events again.
    case repeatEvents(Int)
    /// An event of a type that nobody knows.
    case postUnknown
    /// Frames and fields that nobody knows.
    case sendUnknown
    /// A message of the maximum length, and a page of the maximum size behind it.
    case postLarge
    /// Loses what is not stored; a connected client is told.
    case rollBack
    /// Closes the connection without a close frame.
    case cut
    case close(UInt16)
    /// Announces the end, and closes with 4200 then.
    case bye(milliseconds: Int64)
    /// The next attempts are refused, each for as long as it says.
    case refuse([Refusal])
    /// Every attempt is refused for good from now on, with 403.
    case forbid
    /// Every attempt is refused from now on; or no more.
    case refuseAll(Bool)
    /// Those that exist; later ones are valid.
    case refuseTickets
    /// Resumes are answered with `page` instead of the events.
    case answerWithPage
    /// Read marks, or edits, are not acknowledged.
    case ignore(Ignored, Bool)
    /// Neither sends nor answers anything on this connection.
    case goDeaf
}

enum Ignored: Hashable, Sendable { case reads, edits }

/// How the server answers a message.
enum SendAnswer: Hashable, Sendable {
    /// Accepted, delivered, stored.
    case normal
    /// As `normal`, after a delay.
    case late(milliseconds: Int64)
    /// Not in the log, no answer.
    case dropped
    /// In the log, no answer, not delivered.
    case silent
    /// Accepted and delivered, but not stored.
    case accepted
    /// As `accepted`, and forgotten: it gets a second place in the log when it is sent again.
    case forgotten
    case refused(V1ErrorCode, retryAfter: Int64?)
}

/// A handshake that is refused.
struct Refusal: Hashable, Sendable {
    let status: Int
    /// In seconds.
    let retryAfter: Int
}

/// What a scenario waits for; numbers count from its start.
enum Condition: Hashable, Sendable {
    /// So many connections were accepted, and the newest is open and past its first command.
    case connected(Int)
    /// So many messages were sent.
    case sent(Int)
    /// So many messages are confirmed.
    case confirmed(Int)
    /// The client has received, or fetched, all there is.
    case caughtUp
    /// The room was loaded again.
    case reloaded
    /// A ping arrived on the connection that is silent.
    case pinged
    /// An attempt to connect was refused with 403.
    case forbidden
    case readMarks(Int)
    case edits(Int)
    case typings(Int)
}
