/// The owner of a `RedisLink`; called on its event loop.
protocol RedisLinkOwner: AnyObject {
    func linkBecameReady()
    func linkBecameLost(_ reason: String)
    func linkReceived(_ reply: RESPValue)
    /// The owner must send a PING in order with its commands.
    func linkWantsPing()
}
