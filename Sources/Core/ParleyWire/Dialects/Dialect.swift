/// A client protocol: the commands it has and the form of its events.
package enum Dialect: UInt8, CaseIterable, Hashable, Sendable {
    /// JSON frames of the Django Channels and iOS tutorial.
    case classic
    /// JSON frames of the Starscream and Node.js article.
    case direct
    /// Text lines over TCP.
    case line
    /// JSON frames with commands, acknowledgements and resume.
    case v1

    /// The name in `Sec-WebSocket-Protocol`; `nil` for a dialect that is not negotiated.
    package var subprotocol: String? {
        switch self {
        case .direct: "parley.direct"
        case .v1: "parley.v1"
        case .classic, .line: nil
        }
    }

    /// Negotiates the dialect of a WebSocket: the first known one offered, classic if none is offered (RFC 6455
    /// §4.2.2).
    ///
    /// The response must repeat its `subprotocol`, if it has one.
    /// - Parameter offered: the values of `Sec-WebSocket-Protocol`, each one name or several separated by commas.
    package static func negotiate(offered: [String]) throws(NoKnownSubprotocol) -> Dialect {
        var isAnythingOffered = false
        for name in offered.flatMap({ $0.split(separator: ",") }) {
            let name = HTTPText.trim(name)
            if name.isEmpty { continue }
            isAnythingOffered = true
            if let dialect = allCases.first(where: { $0.subprotocol.map { $0 == name } ?? false }) { return dialect }
        }
        if isAnythingOffered { throw NoKnownSubprotocol() }
        return .classic
    }
}
