/// The owner of a `RedisLink`; called on its event loop.
package protocol RedisLinkOwner: AnyObject {
    func linkBecameReady()
    func linkBecameLost(_ reason: String)
    func linkReceived(_ reply: RESPValue)
    /// Asks the owner to send a PING in order with its commands.
    func linkWantsPing()
}
