/// The address and credentials of a Redis, from a URL in the forms of redis-py or in one for sentinels.
///
///     redis://[user][:password]@host[:port][/database]
///     rediss://…              the same over TLS; see `RedisTLS` for its options
///     unix://[user][:password@]/path/to/socket[?db=2]
///     redis+sentinel://[user:password@]host[:port][,host[:port]…]/master[?sentinel_password=…]
///
/// Options that tune redis-py itself are accepted and ignored.
package struct RedisAddress: Hashable, Sendable {
    package enum Place: Hashable, Sendable {
        case at(RedisEndpoint)
        /// The master that the sentinels report.
        case master(RedisSentinels)
    }

    /// An error in a URL, as text for operators. Never contains a password.
    package struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
        package let description: String
    }

    package var place: Place
    /// `nil` for an unencrypted connection. Applies to sentinels too.
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

    /// Reads the TLS files, so that errors are found before anything is started.
    package func check() throws(ParseError) {
        _ = try tls?.context()
    }

    /// The endpoints to connect to without sentinels.
    var endpoints: [RedisEndpoint] {
        if case .at(let endpoint) = place { [endpoint] } else { [] }
    }

    /// The addresses of the sentinels; empty if there are none.
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
    /// The address without user and password, for logs.
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
