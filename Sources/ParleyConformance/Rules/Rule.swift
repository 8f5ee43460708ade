/// The rules of docs/clients.md, "A good client", by their stable names.
package enum Rule: String, CaseIterable, Hashable, Sendable {
    // 1 Connecting
    /// Attempts to connect have growing random delays.
    case backOff = "connect.back-off"
    /// A connection that ended for no final reason is opened again.
    case again = "connect.again"
    /// `Retry-After` is the minimum until the next attempt.
    case retryAfter = "connect.retry-after"
    /// A ticket that is refused or expired is not used again.
    case ticket = "connect.ticket"
    /// After 4000–4099 and 403 the client stops.
    case stop = "connect.stop"
    /// After `bye` the client stays until the announced time, and then reconnects.
    case bye = "connect.bye"
    // 2 First command
    /// `resume` is the first command, once, within a second of `hello`.
    case resume = "resume.first"
    // 3 Events
    /// Positions are those of the last event received without a gap.
    case position = "events.position"
    /// Missing events are fetched by `history`, after the last one without a gap.
    case gap = "events.gap"
    // 4
    /// A thread that was rolled back is loaded again, and what is not known to be stored is sent again.
    case rolledBack = "events.rolled-back"
    // 5 Sending
    /// Every message has a UUIDv7 (or ULID) as its `client_id`.
    case clientID = "send.client-id"
    /// What is sent again is unchanged.
    case unchanged = "send.unchanged"
    /// One message of a thread is in flight at a time.
    case oneAtATime = "send.one-at-a-time"
    /// A message is sent on each connection until the ack `stored`, and not after it.
    case untilStored = "send.until-stored"
    /// `retry_after_ms`, or some 100 ms, pass before a message is sent again.
    case wait = "send.wait"
    /// A message that is refused for good is not sent again, and the next one follows.
    case refused = "send.refused"
    /// Messages enter the log in the order in which they were first sent.
    case order = "send.order"
    /// An edit is a command of its own, sent until it is acknowledged.
    case edit = "send.edit"
    // 6
    /// A message that the log has twice, or that arrives twice, is shown once.
    case once = "show.once"
    // 7
    /// Silence is broken by a ping; without an answer the client reconnects.
    case silence
    // 8
    /// A read mark is sent until it is acknowledged.
    case receipts
    // 9
    /// Typing is sent at most every 3 s.
    case typing
    // 10
    /// The client's frames are valid commands, and it bears unknown fields, unknown types and large frames.
    case frames
}
