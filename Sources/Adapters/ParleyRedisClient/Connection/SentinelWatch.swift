import Logging
import NIOCore

/// Watches a group for a change of master, through any reachable sentinel. Owned by an event loop.
final class SentinelWatch: RedisLinkOwner {
    private static let channel = "+switch-master"

    private let link: RedisLink
    private let master: String
    /// The master has changed.
    var switched: () -> Void = {}
    /// The watch was restored; a change may have been missed.
    var restored: () -> Void = {}

    /// Returns `nil` if the address has no sentinels.
    init?(
        _ address: RedisAddress, eventLoop: any EventLoop, settings: RedisLinkSettings,
        transport: any RedisTransport, logger: Logger
    ) {
        guard case .master(let sentinels) = address.place else { return nil }
        master = sentinels.master
        guard
            let link = RedisLink(
                sentinels: address, eventLoop: eventLoop, settings: settings, transport: transport, logger: logger)
        else { return nil }
        self.link = link
    }

    func start() {
        link.owner = self
        link.start()
    }

    func stop() {
        link.stop()
    }

    func linkBecameReady() {
        link.write(RESPCommand("SUBSCRIBE", Self.channel).bytes)
        link.flush()
        restored()
    }

    func linkBecameLost(_ reason: String) {}

    func linkReceived(_ reply: RESPValue) {
        // message, +switch-master, "<master> <old host> <old port> <new host> <new port>"
        guard let parts = reply.elements, parts.count == 3, parts[0].text == "message",
            parts[1].text == Self.channel, parts[2].text?.split(separator: " ").first.map(String.init) == master
        else { return }
        switched()
    }

    func linkWantsPing() {
        link.write(RESPCommand("PING").bytes)
        link.flush()
    }
}
