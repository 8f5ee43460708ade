import ParleyModel

extension RedisAddress {
    private static var schemes: String { "redis://, rediss://, unix:// and redis+sentinel://" }

    /// Options of redis-py that have no meaning for this client and are ignored.
    private static let ignored: Set<Substring> = [
        "socket_timeout", "socket_connect_timeout", "socket_keepalive", "health_check_interval", "protocol",
        "max_connections", "retry_on_timeout", "client_name", "timeout",
    ]

    /// Parses a URL.
    /// - Throws: A description of the error in the URL, without its password.
    package init(_ url: String) throws(ParseError) {
        guard let colon = url.firstRange(of: "://") else {
            throw ParseError(description: "not a URL; allowed are \(Self.schemes)")
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
        let scheme = url[..<colon.lowerBound]
        switch scheme {
        case "unix":
            guard rest.hasPrefix("/") else { throw ParseError(description: "unix:// needs an absolute path") }
            self.init(place: .at(.unix(path: try Self.decoded(rest))))
        case "redis", "rediss":
            let (hosts, path) = Self.split(rest)
            self.init(place: .at(try Self.tcp(hosts, port: 6379)))
            if !path.isEmpty { database = try Self.database(path) }
        case "redis+sentinel", "rediss+sentinel":
            let (hosts, path) = Self.split(rest)
            let parts = path.split(separator: "/", maxSplits: 1)
            guard let master = parts.first else {
                throw ParseError(
                    description: "\(scheme):// requires the master's name: \(scheme)://host:26379/mymaster")
            }
            var endpoints: [RedisEndpoint] = []
            for host in hosts.split(separator: ",") { endpoints.append(try Self.tcp(host, port: 26379)) }
            guard !endpoints.isEmpty else {
                throw ParseError(description: "\(scheme):// requires the sentinels' hosts")
            }
            self.init(place: .master(RedisSentinels(endpoints: endpoints, master: try Self.decoded(master))))
            if parts.count > 1 { database = try Self.database(parts[1]) }
        default:
            throw ParseError(description: "unknown scheme; allowed are \(Self.schemes)")
        }
        if scheme.hasPrefix("rediss") { tls = RedisTLS() }
        if let login { try read(login: login) }
        for (name, value) in options { try read(option: name, value) }
    }

    private mutating func read(login: Substring) throws(ParseError) {
        let parts = login.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        if !parts[0].isEmpty { user = try Self.decoded(parts[0]) }
        if parts.count > 1, !parts[1].isEmpty { password = try Self.decoded(parts[1]) }
        if user != nil, password == nil {
            throw ParseError(description: "a user requires a password: redis://user:password@host")
        }
    }

    private mutating func read(option name: Substring, _ value: Substring) throws(ParseError) {
        if name == "db" { return database = try Self.database(value) }
        if Self.ignored.contains(name) { return }
        if name.hasPrefix("ssl_"), var tls {
            try Self.read(option: name, value, &tls)
            self.tls = tls
            return
        }
        if case .master(var sentinels) = place, name == "sentinel_username" || name == "sentinel_password" {
            if name == "sentinel_username" {
                sentinels.user = try Self.decoded(value)
            } else {
                sentinels.password = try Self.decoded(value)
            }
            place = .master(sentinels)
            return
        }
        throw ParseError(description: "unknown option \(name)")
    }

    private static func read(option name: Substring, _ value: Substring, _ tls: inout RedisTLS) throws(ParseError) {
        switch name {
        case "ssl_cert_reqs":
            guard ["none", "optional", "required"].contains(value) else {
                throw ParseError(description: "ssl_cert_reqs must be none, optional or required")
            }
            tls.verifies = value != "none"
        case "ssl_check_hostname":
            switch value.lowercased() {
            case "true", "1", "yes": tls.checksHostname = true
            case "false", "0", "no": tls.checksHostname = false
            default: throw ParseError(description: "ssl_check_hostname must be true or false")
            }
        case "ssl_ca_certs": tls.authorityPath = try decoded(value)
        case "ssl_certfile": tls.certificatePath = try decoded(value)
        case "ssl_keyfile": tls.keyPath = try decoded(value)
        default: throw ParseError(description: "unknown option \(name)")
        }
    }

    /// Returns the parts before and after the first `/`.
    private static func split(_ text: Substring) -> (hosts: Substring, path: Substring) {
        let slash = text.firstIndex(of: "/") ?? text.endIndex
        return (text[..<slash], text[slash...].drop { $0 == "/" })
    }

    private static func tcp(_ text: Substring, port standard: Int) throws(ParseError) -> RedisEndpoint {
        var host = text
        var port: Substring?
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else {
                throw ParseError(description: "an IPv6 address ends with ]")
            }
            host = text[text.index(after: text.startIndex)..<end]
            let rest = text[text.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { throw ParseError(description: "only a port may follow ]") }
            port = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = text.firstIndex(of: ":") {
            host = text[..<colon]
            port = text[text.index(after: colon)...]
        }
        guard let number = port.map({ Int($0) }) ?? standard, 1...65535 ~= number else {
            throw ParseError(description: "the port must be a number from 1 to 65535")
        }
        return .tcp(host: host.isEmpty ? "localhost" : String(host), port: number)
    }

    private static func database(_ text: Substring) throws(ParseError) -> Int {
        guard let number = Int(text), number >= 0 else {
            throw ParseError(description: "the database must be a number from 0 on")
        }
        return number
    }

    private static func decoded(_ text: Substring) throws(ParseError) -> String {
        guard let bytes = PercentEncoding.decode(text.utf8) else {
            throw ParseError(description: "% must be followed by two hex digits; % itself is %25")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else { throw ParseError(description: "not UTF-8") }
        return text
    }
}
