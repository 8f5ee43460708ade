/// Where a Redis is and how to get in, from a URL in the forms that redis-py reads.
///
///     redis://[user][:password]@host[:port][/database]
///     unix://[user][:password@]/path/to/socket[?db=2]
package struct RedisAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case tcp(host: String, port: Int)
        case unix(path: String)
    }

    /// What is wrong with a URL, in words for whoever wrote it. Never holds a password.
    package struct Flaw: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package var place: Place
    /// `rediss://`.
    package var usesTLS = false
    package var user: String?
    package var password: String?
    package var database = 0

    package init(place: Place) {
        self.place = place
    }

    package init(_ url: String) throws(Flaw) {
        guard let colon = url.firstRange(of: "://") else {
            throw Flaw(description: "not a URL; allowed are redis://, rediss:// and unix://")
        }
        var rest = url[colon.upperBound...]
        var options: [(Substring, Substring)] = []
        if let mark = rest.firstIndex(of: "?") {
            options = rest[rest.index(after: mark)...].split(separator: "&").map { option in
                let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
                return (parts[0], parts.count > 1 ? parts[1] : "")
            }
            rest = rest[..<mark]
        }
        var login: Substring?
        if let at = rest.lastIndex(of: "@") {
            login = rest[..<at]
            rest = rest[rest.index(after: at)...]
        }
        switch url[..<colon.lowerBound] {
        case "unix":
            guard rest.hasPrefix("/") else { throw Flaw(description: "unix:// needs an absolute path") }
            place = .unix(path: try Self.decoded(rest))
        case "redis", "rediss":
            let slash = rest.firstIndex(of: "/") ?? rest.endIndex
            place = try Self.tcp(rest[..<slash])
            usesTLS = url.hasPrefix("rediss")
            let path = rest[slash...].drop { $0 == "/" }
            if !path.isEmpty { database = try Self.database(path) }
        default:
            throw Flaw(description: "unknown scheme; allowed are redis://, rediss:// and unix://")
        }
        if let login {
            let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            if !parts[0].isEmpty { user = try Self.decoded(parts[0]) }
            if parts.count > 1, !parts[1].isEmpty { password = try Self.decoded(parts[1]) }
            if user != nil, password == nil {
                throw Flaw(description: "a user needs a password: redis://user:password@host")
            }
        }
        for (name, value) in options {
            guard name == "db" else { throw Flaw(description: "unknown option \(name); allowed is db") }
            database = try Self.database(value)
        }
    }

    private static func tcp(_ text: Substring) throws(Flaw) -> Place {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { throw Flaw(description: "an IPv6 address ends with ]") }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw Flaw(description: "only a port may follow ]") }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard let number = port.map({ Int($0) }) ?? 6379, 1...65535 ~= number else {
            throw Flaw(description: "the port must be a number from 1 to 65535")
        }
        return .tcp(host: host.isEmpty ? "localhost" : String(host), port: number)
    }

    private static func database(_ text: Substring) throws(Flaw) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw Flaw(description: "the database must be a number from 0 on")
        }
        return number
    }

    private static func decoded(_ text: Substring) throws(Flaw) -> String {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst(), let low = rest.popFirst(),
                let value = UInt8(String(decoding: [high, low], as: UTF8.self), radix: 16)
            else { throw Flaw(description: "% must be followed by two hex digits; % itself is %25") }
            bytes.append(value)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Flaw(description: "not UTF-8") }
        return text
    }
}

extension RedisAddress: CustomStringConvertible {
    /// For logs: without user and password.
    package var description: String {
        switch place {
        case .tcp(let host, let port): "\(usesTLS ? "rediss" : "redis")://\(host):\(port)/\(database)"
        case .unix(let path): "unix://\(path)?db=\(database)"
        }
    }
}
