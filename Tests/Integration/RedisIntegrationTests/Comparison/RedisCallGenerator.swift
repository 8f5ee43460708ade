import ParleyChannels
import ParleyModel
import ParleyRedis
import ParleyTestSupport

/// Draws commands as Parley sends them, and others on few keys of all types, so that they meet.
struct RedisCallGenerator {
    typealias Command = [[UInt8]]

    var random: SeededGenerator
    let settings: RedisSettings
    let names: ChannelNames
    let scripts: RedisScripts
    /// Reads a string of the model, so that arguments match what is stored.
    var peek: (_ key: String) -> [UInt8]?
    /// The time of both servers, in Unix milliseconds.
    var now: Int64 = 0

    init(_ random: SeededGenerator, _ settings: RedisSettings, peek: @escaping (String) -> [UInt8]?) {
        self.random = random
        self.settings = settings
        self.peek = peek
        names = ChannelNames(prefix: settings.channels.prefix, ownPrefix: settings.ownPrefix)
        scripts = RedisScripts(settings)
    }

    /// Settings under which all parts of the scripts run, with a short log window.
    static let settings: [RedisSettings] = {
        var all: [RedisSettings] = []
        for (serializer, keys, isCore) in [
            (ChannelsSettings.Serializer.msgpack, [String](), true), (.json, [], false), (.msgpack, ["key"], false),
        ] {
            var settings = RedisSettings(addresses: [])
            settings.channels.serializer = serializer
            settings.channels.symmetricEncryptionKeys = keys
            if isCore { settings.channels.core = QueueLayerSettings() }
            settings.log.windowEvents = 20
            all.append(settings)
        }
        return all
    }()

    // MARK: Choices

    mutating func draw<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    mutating func draw(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &random) }

    mutating func chance(_ percent: Int64) -> Bool { draw(1...100) <= percent }

    mutating func thread() -> ThreadID { ThreadID(trusted: draw(["t1", "t2", "room"])) }

    mutating func name() -> String { draw(["ann", "bob", "c"]) }

    /// A text of various lengths, which decide about the nodes of streams.
    mutating func payload() -> [UInt8] {
        let length = draw([0, 1, 3, 20, 60, 64, 100, 130, 300, chance(20) ? 5000 : 10])
        if length < 4, chance(50) { return Array("\(draw(-5000...5000))".utf8) }
        return (0..<length).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    // MARK: Commands

    mutating func next() -> Command {
        chance(65) ? script() : plain()
    }

    func command(_ words: String...) -> Command { words.map { Array($0.utf8) } }

    private mutating func key() -> String {
        if chance(25) {
            let thread = thread()
            return draw([
                names.log(of: thread), names.ingest(names.partition(of: thread)),
                names.presenceNodes, names.nodes, names.queueDue, names.queueFrom, names.layerGroup("t1"),
            ])
        }
        return draw(["k1", "k2", "k3", "k4"])
    }

    private mutating func score() -> String {
        draw(["1", "2.5", "-3", "1e3", "inf", "-inf", "0.1", "1700000000.123", "x", "\(draw(-9...9))"])
    }

    private mutating func bound() -> String { (chance(30) ? "(" : "") + score() }

    private mutating func index() -> String { "\(draw(-4...4))" }

    mutating func plain() -> Command {
        switch draw(0...9) {
        case 0...1: return stringCommand()
        case 2: return keyCommand()
        case 3: return hashCommand()
        case 4: return listCommand()
        case 5...6: return sortedSetCommand()
        case 7...8: return streamCommand()
        default: return otherCommand()
        }
    }

    private mutating func stringCommand() -> Command {
        let key = key()
        return draw([
            command("GET", key), command("SET", key, "\(draw(-5...5))"), command("SET", key, "v", "NX"),
            command("SET", key, "v", "XX", "PX", "\(draw(-1...3000))"), command("SET", key, "v", "EX", "2"),
            command("SET", key, "w", "KEEPTTL"), command("MGET", key, draw(["k1", "k2", "k5"])),
            command("PSETEX", key, "\(draw(0...2000))", "v"), command("INCR", key),
            command("INCRBY", key, draw(["3", "-4", "x", "9223372036854775807"])), command("GET"),
        ])
    }

    private mutating func keyCommand() -> Command {
        let (key, other) = (key(), key())
        return draw([
            command("DEL", key, other), command("EXISTS", key, other, key), command("TYPE", key), command("TTL", key),
            command("PTTL", key), command("EXPIRE", key, "\(draw(-1...4))"), command("PERSIST", key),
            command("PEXPIRE", key, "\(draw(-5...5000))"), command("EXPIRE", key, "9223372036854775807"),
        ])
    }

    private mutating func hashCommand() -> Command {
        let (key, field, other) = (key(), name(), name())
        return draw([
            command("HSET", key, field, "1"), command("HSET", key, field, "2", other, "33"),
            command("HSET", key, field, "1", other),
            command("HGET", key, field), command("HGETALL", key), command("HKEYS", key),
            command("HDEL", key, field, other),
        ])
    }

    private mutating func listCommand() -> Command {
        let key = key()
        return draw([
            command("LPUSH", key, "a", "b"), command("RPUSH", key, "c"), command("RPUSH", key, "d", "e", "f"),
            command("LPOP", key),
            command("RPOP", key), command("LLEN", key), command("LRANGE", key, index(), index()),
            command("LTRIM", key, index(), index()), command("LRANGE", key, "x", "1"),
        ])
    }

    private mutating func sortedSetCommand() -> Command {
        let (key, member) = (key(), name())
        return draw([
            command("ZADD", key, score(), member), command("ZADD", key, score(), member, score(), name()),
            command("ZADD", key, "NX", score(), member), command("ZREM", key, member, name()), command("ZCARD", key),
            command("ZSCORE", key, member), command("ZRANGE", key, index(), index()),
            command("ZRANGE", key, "0", "-1", "WITHSCORES"), command("ZREVRANGE", key, index(), index(), "WITHSCORES"),
            command("ZRANGEBYSCORE", key, bound(), bound()), command("ZCOUNT", key, bound(), bound()),
            command("ZRANGEBYSCORE", key, bound(), bound(), "LIMIT", index(), index()),
            command("ZRANGEBYSCORE", key, bound(), bound(), "WITHSCORES"),
            command("ZREMRANGEBYSCORE", key, bound(), bound()), command("ZPOPMIN", key), command("ZPOPMIN", key, "2"),
        ])
    }

    private mutating func id() -> String { draw(["-", "+", "0", "\(draw(0...9))-\(draw(0...2))", "5", "x"]) }

    private mutating func streamCommand() -> Command {
        let key = key()
        let payload = payload()
        return draw([
            command("XADD", key, "*", "e") + [payload], command("XADD", key, "*", "e") + [payload],
            command("XADD", key, "\(draw(0...9))-\(draw(0...2))", "e", "v"),
            command("XADD", key, "*", "e", "1", "f", "2"),
            command("XADD", key, "MAXLEN", "~", "\(draw(0...30))", "*", "e") + [payload],
            command("XADD", key, "MAXLEN", "\(draw(0...3))", "*", "e") + [payload], command("XLEN", key),
            command("XRANGE", key, "-", "+"), command("XRANGE", key, id(), id()),
            command("XRANGE", key, "(" + id(), "+", "COUNT", "2"),
            command("XTRIM", key, "MINID", "\(now - draw(0...2000))-\(draw(0...2))"), command("XADD", key, "*", "e"),
            command("XTRIM", key, "MAXLEN", draw(["~", "="]), "\(draw(0...5))"),
            command("XTRIM", key, "MINID", "~", "\(now)"),
        ])
    }

    private mutating func otherCommand() -> Command {
        draw([
            command("TIME"), command("PING"), command("ECHO", "x"), command("PUBLISH", draw(Self.channels), "hello"),
            command("PUBSUB", "NUMSUB", "c1", "c2"),
            command("KEYS", draw(["*", "k[1-2]", "parley:*", "k?", "[^k]*", "\\k1"])),
            command("SELECT", "99"), command("PING", "hi"), command("ROLE"),
            command("EVALSHA", "0000000000000000000000000000000000000000", "0"),
        ])
    }

    static let channels = ["c1", "c2", "asgi__group__t1", "asgi__group__t1.events", "parley:presence:u:ann"]

    // MARK: Other connections

    mutating func subscriberCommand() -> Command {
        command(draw(["SUBSCRIBE", "SUBSCRIBE", "UNSUBSCRIBE"]), draw(Self.channels))
    }

    mutating func waiterCommand() -> Command {
        let thread = thread()
        let seconds = draw(["1", "2", "0.5"])
        return draw([
            command("BLPOP", names.awaited(in: thread), "k1", seconds), command("BRPOP", key(), "k2", seconds),
            command("BZPOPMIN", "k3", "k1", seconds), command("BLPOP", key(), key(), seconds),
        ])
    }
}
