/// Where a Redis is and how to get in, from a URL in the forms that redis-py reads, and one for sentinels.
///
///     redis://[user][:password]@host[:port][/database]
///     rediss://…              the same through TLS; see `RedisTLS` for its options
///     unix://[user][:password@]/path/to/socket[?db=2]
///     redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[?sentinel_password=…]
///
/// Of redis-py's options those that tune redis-py itself are accepted and have no effect.
package struct RedisAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case at(RedisEndpoint)
        /// Wherever the sentinels say that the master is.
        case master(RedisSentinels)
    }

    /// What is wrong with a URL, in words for whoever wrote it. Never holds a password.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package var place: Place
    /// `nil`: in the clear. Sentinels are spoken to in the same way.
    package var tls: RedisTLS?
    package var user: String?
    package var password: String?
    package var database = 0

    package init(_ endpoint: RedisEndpoint) {
        place = .at(endpoint)
    }

    init(place: Place) {
        self.place = place
    }

    /// Reads the files that TLS needs, to find out about them before anything is started.
    package func check() throws(ParseError) {
        _ = try tls?.context()
    }

    /// Where to connect to if there are no sentinels.
    var endpoints: [RedisEndpoint] {
        if case .at(let endpoint) = place { [endpoint] } else { [] }
    }

    /// The addresses of the sentinels themselves; empty if there are none.
    var sentinels: [RedisAddress] {
        guard case .master(let sentinels) = place else { return [] }
        return sentinels.endpoints.map { endpoint in
            var address = RedisAddress(endpoint)
            address.tls = tls
            address.user = sentinels.user
            address.password = sentinels.password
            return address
        }
    }

    /// A short name for metrics.
    package var label: String {
        switch place {
        case .at(let endpoint): endpoint.description
        case .master(let sentinels): sentinels.master
        }
    }
}

extension RedisAddress: CustomStringConvertible {
    /// For logs: without user and password.
    package var description: String {
        switch place {
        case .at(.unix(let path)): "unix://\(path)?db=\(database)"
        case .at(let endpoint): "\(tls == nil ? "redis" : "rediss")://\(endpoint)/\(database)"
        case .master(let sentinels):
            "\(tls == nil ? "redis" : "rediss")+sentinel://\(Self.list(sentinels))/\(sentinels.master)?db=\(database)"
        }
    }

    private static func list(_ sentinels: RedisSentinels) -> String {
        sentinels.endpoints.map(\.description).joined(separator: ",")
    }
}
