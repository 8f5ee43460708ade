/// What uses a connection; called on its event loop.
protocol RedisLinkOwner: AnyObject {
    func linkBecameReady()
    func linkBecameLost(_ reason: String)
    func linkReceived(_ reply: RESPValue)
    /// Is to send a PING in its order among the owner's commands.
    func linkWantsPing()
}
