import NIOCore
import NIOEmbedded
import NIOHTTP1
import ParleyAccounts
import ParleyGateway
import ParleyModel
import ParleyREST

/// HTTP: requests, their fields and their bodies.
extension FuzzTarget {
    func requests(_ bytes: [UInt8]) throws {
        let (whole, cut) = portions(bytes)
        try expect(Self.read(whole) == Self.read(cut), "other portions, other requests")
    }

    /// The complete requests, and `refused` behind them if the bytes were refused.
    private static func read(_ portions: [[UInt8]]) -> [String] {
        let channel = EmbeddedChannel()
        var requests: [String] = []
        var text = ""
        func take() {
            while let part = try? channel.readInbound(as: HTTPServerRequestPart.self) {
                switch part {
                case .head(let head): text = "\(head.method) \(head.uri) \(head.version) \(head.headers) "
                case .body(let bytes): text += bytes.readableBytesView.map { "\($0)," }.joined()
                case .end: requests.append(text)
                }
            }
        }
        do {
            try channel.pipeline.syncOperations.addHandler(ByteToMessageHandler(RequestDecoder()))
            for portion in portions {
                do {
                    try channel.writeInbound(ByteBuffer(bytes: portion))
                } catch {
                    take()
                    requests.append("refused")
                    break
                }
            }
        } catch {
            return ["no decoder"]
        }
        take()
        _ = try? channel.finish(acceptAlreadyClosed: true)
        return requests
    }

    func headers(_ bytes: [UInt8]) throws {
        let lines = bytes.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
        for line in lines {
            _ = AuthorizationHeader(line)
            if let origin = Origin(line) { for host in lines { _ = origin.isHost(host) } }
            if let address = IPAddress(line) {
                for prefix in [0, 1, 31, 32, 33, 64, 127, 128, 129, -1] { _ = address.network(prefix: prefix) }
            }
            _ = try? TrustedProxies(parsing: line)
        }
        _ = CookieHeader.value(of: "sessionid", in: lines)
        guard let trusted = try? TrustedProxies(parsing: "10.0.0.0/8,::1") else { return }
        let address = ClientAddress(peer: "10.0.0.1", forwardedFor: lines, forwardedProto: lines, trusted: trusted)
        try expect(IPAddress(address.text) != nil, "an address that is none")
    }

    func forms(_ bytes: [UInt8]) throws {
        if let pairs = try? FormDecoder.pairs(in: bytes) {
            try expect(pairs.count <= FormDecoder.maximumPairs, "too many pairs")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        _ = Timestamp.milliseconds(text)
        for size in [Int64(0), 1, 1000, .max] {
            guard case .part(let range) = ByteRange(text, size: size) else { continue }
            try expect(!range.isEmpty && range.lowerBound >= 0 && range.upperBound <= size, "a range beyond the file")
        }
        func split(_ portions: [[UInt8]]) -> [ImportLineSplitter.Line] {
            var splitter = ImportLineSplitter()
            let lines = portions.flatMap { splitter.lines(in: ByteBuffer(bytes: $0)) }
            return lines + (splitter.last().map { [$0] } ?? [])
        }
        let (whole, cut) = portions(bytes)
        try expect(split(whole) == split(cut), "other portions, other lines")
    }

    func tokens(_ bytes: [UInt8]) throws {
        if let ticket = Ticket(bytes: bytes) { try expect(Ticket(bytes: ticket.bytes) == ticket, "another ticket") }
        let text = String(decoding: bytes, as: UTF8.self)
        _ = StoredPassword(text)
        try expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes, "encoded and decoded, other bytes")
        _ = Base64URL.decode(text)
        for text in [text, Hex.encode(bytes)] {
            guard let cursor = EventCursor(text) else { continue }
            try expect(EventCursor(cursor.text) == cursor, "another cursor")
        }
    }

    func claims(_ bytes: [UInt8]) {
        guard let object = JOSEObject(bytes) else { return }
        _ = try? UncheckedClaims(object)
        for text in ["admin", "role=admin", "exp=1"] { _ = OperatorClaim(text)?.isMet(by: object) }
    }

    /// The bytes as they are, and as the content of a session.
    func django(_ bytes: [UInt8]) {
        _ = DjangoSessionData(String(decoding: bytes, as: UTF8.self)[...])
        _ = DjangoSessionData(Base64URL.encode(bytes)[...])
        _ = DjangoSessionData("." + Base64URL.encode(bytes))
    }

    func media(_ bytes: [UInt8]) throws {
        let size = ImageDimensions(prefix: bytes[...])
        if let size {
            let allowed = 1...ImageDimensions.maximum
            try expect(allowed.contains(size.width) && allowed.contains(size.height), "absurd dimensions")
        }
        try expect(ImageDimensions(prefix: ([0] + bytes)[1...]) == size, "another place, other dimensions")
        let prefix = bytes.prefix(MediaType.prefixBytes)
        for type in [
            "image/png", "image/jpeg", "image/webp", "image/avif", "video/mp4", "audio/mpeg", "application/pdf",
        ] {
            _ = MediaType.agrees(type, with: prefix)
        }
        if let type = MediaType.normalized(String(decoding: bytes, as: UTF8.self)) {
            try expect(MediaType.normalized(type) == type, "normalized twice, it is another type")
        }
    }
}
