/// A bot's membership in a thread, and the bot's position there.
package struct BotMembership: Codable, Hashable, Sendable {
    package let bot: Int32
    package let thread: Int32
    package let isClassic: Bool
    /// Index of the epoch in the thread's sightings; -1 while the bot has no position in the log.
    package internal(set) var epoch: Int32 = -1
    /// Everything up to this seq was seen, or reported by the server as skipped.
    package internal(set) var last: Int64 = 0
    /// The bot was connected before the first event, so it must see the whole thread.
    var isFromStart = false
    /// The epoch has changed, and the next event shows the new position.
    var awaitsEpoch = false
    /// The bot has asked for what it has missed.
    var isResuming = false
    /// Sends in this thread got lost unnoticed or were repeated after a rejection: their order is undefined.
    var mayReorder = false

    package init(bot: Int32, thread: Int32, isClassic: Bool) {
        self.bot = bot
        self.thread = thread
        self.isClassic = isClassic
    }
}
