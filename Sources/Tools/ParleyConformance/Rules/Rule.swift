/// The rules of docs/clients.md, "A good client", by their stable names.
package enum Rule: String, CaseIterable, Hashable, Sendable {
    // 1 Connecting
    /// Attempts to connect have growing random delays.
    case backOff = "connect.back-off"
    /// A client reconnects after a connection ended for a temporary reason.
    case again = "connect.again"
    /// `Retry-After` is the minimum until the next attempt.
    case retryAfter = "connect.retry-after"
    /// A refused or expired ticket is not used again.
    case ticket = "connect.ticket"
    /// After 4000–4099 and 403 the client stops.
    case stop = "connect.stop"
    /// After `bye` the client stays until the announced time, and then reconnects.
    case bye = "connect.bye"
    // 2 First command
    /// `resume` is the first command, once, within a second of `hello`.
    case resume = "resume.first"
    // 3 Events
    /// A client resumes from the last event that it received without a gap.
    case position = "events.position"
    /// Missing events are fetched by `history`, after the last one without a gap.
    case gap = "events.gap"
    // 4
    /// A client reloads a thread that was rolled back, and repeats the sends that are not known to be stored.
    case rolledBack = "events.rolled-back"
    // 5 Sending
    /// Every message has a UUIDv7 (or ULID) as its `client_id`.
    case clientID = "send.client-id"
    /// A repeated send is unchanged.
    case unchanged = "send.unchanged"
    /// One message of a thread is in flight at a time.
    case oneAtATime = "send.one-at-a-time"
    /// A message is sent on each connection until the ack `stored`, and not after it.
    case untilStored = "send.until-stored"
    /// A client waits for `retry_after_ms`, or some 100 ms, before it repeats a send.
    case wait = "send.wait"
    /// A permanently refused message is not sent again, and the next one follows.
    case refused = "send.refused"
    /// Messages enter the log in the order in which they were first sent.
    case order = "send.order"
    /// An edit is a separate command, sent until it is acknowledged.
    case edit = "send.edit"
    // 6
    /// A message that the log has twice, or that arrives twice, is shown once.
    case once = "show.once"
    // 7
    /// A client sends a ping during silence, and reconnects if no answer follows.
    case silence
    // 8
    /// A read mark is sent until it is acknowledged.
    case receipts
    // Typing is sent at most once in 3 s.
    /// Typing is sent at most every 3 s.
    case typing
    // 10
    /// The client's frames are valid commands. It accepts unknown fields, unknown types and large frames.
    case frames
}
