import NIOCore
import NIOHTTP1

/// Keeps a target that is no path (RFC 9112 §3.2.2: `http://host/path`) from becoming one.
///
/// The codec behind it would hand on the path only, and the router could not tell the two spellings apart. With a slash
/// before it such a target is a path that there is not.
final class WholeTarget: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(var head) = unwrapInboundIn(data), !head.uri.hasPrefix("/") else {
            return context.fireChannelRead(data)
        }
        head.uri = "/" + head.uri
        context.fireChannelRead(wrapInboundOut(.head(head)))
    }
}
