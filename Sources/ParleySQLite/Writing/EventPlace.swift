/// Where an event is stored.
struct EventPlace {
    let seq: Int64
    /// How many messages the thread has up to there.
    let n: Int64
    let milliseconds: Int64
}
