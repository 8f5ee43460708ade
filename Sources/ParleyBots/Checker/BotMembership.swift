/// A bot's membership of a thread, and how far the bot has got there.
package struct BotMembership: Codable, Hashable, Sendable {
    package let bot: Int32
    package let thread: Int32
    package let isClassic: Bool
    /// Of the thread's sightings; -1 as long as the bot has no place in the log.
    package internal(set) var epoch: Int32 = -1
    /// Everything up to here was seen or named as left out.
    package internal(set) var last: Int64 = 0
    /// Nothing came before this bot, so it must see the thread from its first event on.
    var isFromStart = false
    /// The numbering has started over, and the next event says how it goes on.
    var awaitsEpoch = false
    /// Sends entered here were never known to have arrived, or were sent again after a refusal: their order is open.
    var mayReorder = false

    package init(bot: Int32, thread: Int32, isClassic: Bool) {
        self.bot = bot
        self.thread = thread
        self.isClassic = isClassic
    }
}
