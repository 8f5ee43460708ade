package import Hummingbird
package import Logging
import NIOCore
import ParleyAccounts

/// The context of one request.
package struct RESTContext: RequestContext {
    package var coreContext: CoreRequestContextStorage
    /// The address of the other end of the connection; `nil` if it has none.
    let peer: String?
    /// Set by `FrontMiddleware`, before any route runs.
    var client: ClientAddress
    /// The uses that this request counts against its user's maxima. `FrontMiddleware` ends them with the response,
    /// unless the route has taken them.
    let uses = RequestUses()

    package init(source: ApplicationRequestContextSource) {
        self.init(peer: source.channel.remoteAddress?.ipAddress, logger: source.logger)
    }

    /// A request that was not received by a channel.
    package init(peer: String?, logger: Logger) {
        coreContext = CoreRequestContextStorage(source: LoggerSource(logger: logger))
        self.peer = peer
        client = ClientAddress(peer: peer, forwardedFor: [], forwardedProto: [], trusted: TrustedProxies())
    }

    private struct LoggerSource: RequestContextSource {
        let logger: Logger
    }
}
