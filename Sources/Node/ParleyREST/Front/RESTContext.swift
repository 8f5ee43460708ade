package import Hummingbird
package import Logging
import NIOCore
import ParleyAccounts

/// The context of one request.
package struct RESTContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address of the connection's other end; `nil` if it has none.
    let peer: String?
    /// The connection; `nil` for a request that no channel received.
    let channel: (any Channel)?
    /// The client's address, which `FrontMiddleware` sets before any route runs.
    var client: ClientAddress
    /// The uses of this request, which count against the limits on the user's concurrent actions. `FrontMiddleware` ends them
    /// with the response, unless the route has taken them over.
    let uses = RequestUses()

    package init(source: ApplicationRequestContextSource) {
        self.init(peer: source.channel.remoteAddress?.ipAddress, channel: source.channel, logger: source.logger)
    }

    /// Makes the context of a request that no channel received.
    package init(peer: String?, logger: Logger) {
        self.init(peer: peer, channel: nil, logger: logger)
    }

    private init(peer: String?, channel: (any Channel)?, logger: Logger) {
        self.channel = channel
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.peer = peer
        client = ClientAddress(peer: peer, forwardedFor: [], forwardedProto: [], trusted: TrustedProxies())
    }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }
}
