/// Downloads of attachments, in pieces by `Range`.
extension Engine {
    /// The number of requests for a piece before the download fails.
    private static let attempts = 5

    /// A range of a file's bytes.
    private struct Piece {
        var bytes: [UInt8]
        var offset: Int
        /// The size of the file.
        var total: Int
    }

    /// Returns the ID of an attachment of this server.
    /// - Throws: ``ChatError/invalid(_:_:)`` for another address, because the user's credentials are only for this
    ///   server.
    func attachment(at url: String) throws(ChatError) -> String {
        let path = url.hasPrefix(server.base) ? String(url.dropFirst(server.base.count)) : url
        guard let id = path.wholeMatch(of: /\/v1\/attachments\/([A-Za-z0-9._-]{1,90})/)?.1 else {
            throw .invalid(.foreignFile, "\(url) is not an attachment of this server")
        }
        return String(id)
    }

    /// Downloads a file from an offset to its end.
    /// - Parameter take: A closure that receives the bytes, their offset and the size of the file.
    func download(
        _ attachment: String, from start: Int, _ take: @Sendable ([UInt8], Int, Int) async throws -> Void
    ) async throws {
        var offset = start
        var failures = 0
        var size = PieceSize()
        var backoff = FullJitterBackoff(configuration.reconnect)
        while true {
            try Task.checkCancellation()
            let since = configuration.clock.uptime
            let piece: Piece
            do {
                piece = try await self.piece(of: attachment, offset..<offset + size.bytes)
            } catch let error as ChatError where error.isTransient && failures < Self.attempts {
                failures += 1
                size.adapt(to: nil)
                guard await sleep(backoff.next(using: &random)) else { throw error }
                continue
            }
            failures = 0
            backoff.reset()
            size.adapt(to: configuration.clock.uptime - since)
            if !piece.bytes.isEmpty || piece.total == 0 { try await take(piece.bytes, piece.offset, piece.total) }
            offset = piece.offset + piece.bytes.count
            if offset >= piece.total { return }
        }
    }

    private func piece(of attachment: String, _ range: Range<Int>) async throws -> Piece {
        let wanted = [(name: "Range", value: "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        var response = try await request("GET", ["v1", "attachments", attachment], headers: wanted)
        // The redirect leads to an object storage. Its address contains the authorization.
        if [302, 303, 307].contains(response.status), let address = response.header("Location") {
            do {
                response = try await transport.send(
                    TransportRequest(method: "GET", url: address, headers: wanted, body: []))
            } catch {
                throw ChatError.offline
            }
        }
        let bounds = response.header("Content-Range")?.wholeMatch(of: /bytes (?:([0-9]+)-[0-9]+|\*)\/([0-9]+)/)
        switch response.status {
        case 200: return Piece(bytes: response.body, offset: 0, total: response.body.count)
        case 206:
            guard let start = bounds?.1.flatMap({ Int($0) }), let total = bounds.flatMap({ Int($0.2) }),
                start == range.lowerBound, !response.body.isEmpty
            else { throw ChatError.noAnswer("a range that was not asked for") }
            return Piece(bytes: response.body, offset: start, total: total)
        case 416:
            guard let total = bounds.flatMap({ Int($0.2) }), total <= range.lowerBound else {
                throw ChatError.noAnswer("a range that exists")
            }
            // The offset is above the file's size, so the bytes on the device belong to another file.
            return Piece(bytes: [], offset: total == range.lowerBound ? total : 0, total: total)
        default:
            _ = try Self.content(of: response)
            throw ChatError.noAnswer("status \(response.status)")
        }
    }
}

extension ChatError {
    /// Whether a repetition may succeed.
    var isTransient: Bool {
        switch self {
        case .offline, .noAnswer, .refused(.rateLimited, _), .refused(.unavailable, _): true
        default: false
        }
    }
}
