/// An incremental HTTP/1.1 response parser (RFC 9112).
///
/// Strict on purpose, so that errors of the server are detected.
package struct HTTPReplyParser {
    /// The result of parsing the bytes so far.
    package enum Step: Sendable {
        case more
        /// A 101: the response, and the bytes after it, which belong to the new protocol.
        case upgraded(HTTPReply, rest: [UInt8])
        /// The complete response, and the bytes after it, which belong to the next one.
        case complete(HTTPReply, rest: [UInt8])
    }

    /// The bytes are not an HTTP response.
    package struct Malformed: Error {
        package let reason: String
    }

    private enum BodyLength {
        case none
        case bytes(Int)
        case chunked
        case untilClose
    }

    private var bytes: [UInt8] = []
    private let isHead: Bool

    /// - Parameter isHead: Whether this is the response to a HEAD request, which has no body whatever its headers say.
    package init(isHead: Bool = false) {
        self.isHead = isHead
    }

    package mutating func feed(_ more: [UInt8]) throws(Malformed) -> Step {
        bytes += more
        return try step(isClosed: false)
    }

    /// The peer has closed the connection.
    package mutating func finish() throws(Malformed) -> Step {
        try step(isClosed: true)
    }

    private mutating func step(isClosed: Bool) throws(Malformed) -> Step {
        guard let headEnd = Self.endOfHead(in: bytes) else {
            if isClosed { throw Malformed(reason: "closed in the head after \(bytes.count) bytes") }
            return .more
        }
        var reply = try Self.head(bytes[..<headEnd])
        let rest = bytes[(headEnd + 4)...]
        if reply.status == 101 { return .upgraded(reply, rest: Array(rest)) }
        switch try length(of: reply) {
        case .none:
            return .complete(reply, rest: Array(rest))
        case .bytes(let count):
            guard rest.count >= count else {
                if isClosed { throw Malformed(reason: "closed after \(rest.count) of \(count) bytes of the body") }
                return .more
            }
            reply.body = Array(rest.prefix(count))
            return .complete(reply, rest: Array(rest.dropFirst(count)))
        case .chunked:
            guard let (body, after) = try Self.dechunk(rest) else {
                if isClosed { throw Malformed(reason: "closed in a chunked body") }
                return .more
            }
            reply.body = body
            return .complete(reply, rest: after)
        case .untilClose:
            guard isClosed else { return .more }
            reply.body = Array(rest)
            return .complete(reply, rest: [])
        }
    }

    private func length(of reply: HTTPReply) throws(Malformed) -> BodyLength {
        if isHead || reply.status < 200 || reply.status == 204 || reply.status == 304 { return .none }
        if reply.header("transfer-encoding")?.lowercased() == "chunked" { return .chunked }
        guard let text = reply.header("content-length") else { return .untilClose }
        guard let count = Int(text), count >= 0 else { throw Malformed(reason: "content-length \(text)") }
        return .bytes(count)
    }

    private static func endOfHead(in bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first { bytes[$0..<($0 + 4)].elementsEqual([13, 10, 13, 10]) }
    }

    private static func head(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> HTTPReply {
        // "\r\n" is a single Character, so the lines are split by scalar.
        let lines = String(decoding: bytes, as: UTF8.self).unicodeScalars
            .split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).trimmingSuffix("\r") }
        let statusLine = lines[0].split(separator: " ", maxSplits: 2)
        guard statusLine.count >= 2, statusLine[0] == "HTTP/1.1", let status = Int(statusLine[1]) else {
            throw Malformed(reason: "status line \(lines[0])")
        }
        var headers: [(name: String, value: String)] = []
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":"), colon != line.startIndex else {
                throw Malformed(reason: "header line \(line)")
            }
            let value = line[line.index(after: colon)...].drop { $0 == " " }
            headers.append((String(line[..<colon]), String(value)))
        }
        return HTTPReply(status: status, headers: headers)
    }

    /// The body and the bytes after it; `nil` if the last chunk has not arrived.
    private static func dechunk(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> (body: [UInt8], rest: [UInt8])? {
        var body: [UInt8] = []
        var rest = bytes
        while let lineEnd = rest.firstIndex(of: UInt8(ascii: "\n")) {
            let sizeText = String(decoding: rest[..<lineEnd], as: UTF8.self).trimmingSuffix("\r").prefix { $0 != ";" }
            guard let size = Int(sizeText, radix: 16) else { throw Malformed(reason: "chunk size \(sizeText)") }
            rest = rest[(lineEnd + 1)...]
            guard rest.count >= size + 2 else { return nil }
            body += rest.prefix(size)
            rest = rest.dropFirst(size)
            guard rest.starts(with: [13, 10]) else { throw Malformed(reason: "chunk without its end") }
            rest = rest.dropFirst(2)
            if size == 0 { return (body, Array(rest)) }
        }
        return nil
    }
}

extension String {
    fileprivate func trimmingSuffix(_ suffix: Character) -> String {
        last == suffix ? String(dropLast()) : self
    }
}
