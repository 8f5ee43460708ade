package import NIOCore
import ParleyModel
package import ParleyRedis
package import ParleyRedisClient
package import ParleyRedisModel
import Synchronization

/// Models of Redis servers in this process, in real time, and the connections to them. Protected by a lock, within which
/// outputs are passed to event loops, so that those of a connection keep their order.
package final class ModelHosts: RedisTransport {
    /// What the client's side of a connection knows of its server.
    private typealias Receiver = NIOLoopBound<any RedisReceiver>

    private struct Host {
        var server: RedisServerModel
        var receivers: [ServerConnectionID: Receiver] = [:]
        var timer: Scheduled<Void>?
    }

    private let hosts: Mutex<[RedisEndpoint: Host]>
    private let microseconds: @Sendable () -> Int64

    /// The addresses of models: names that no resolver is asked for.
    package static func addresses(_ count: Int) -> [RedisAddress] {
        (0..<count).map { RedisAddress(.tcp(host: "model\($0)", port: 6379)) }
    }

    /// - Parameters:
    ///   - settings: of the nodes that use the models.
    ///   - microseconds: the clock of the models.
    package init(
        _ settings: RedisSettings, persistence: RedisServerModel.Persistence = .everySecond,
        microseconds: @escaping @Sendable () -> Int64 = WallClock.systemMicroseconds
    ) {
        self.microseconds = microseconds
        var configuration = RedisServerModel.Configuration(scripts: ScriptLibrary([settings]))
        configuration.persistence = persistence
        var hosts: [RedisEndpoint: Host] = [:]
        for (index, address) in settings.addresses.enumerated() {
            guard case .at(let endpoint) = address.place else { continue }
            let server = RedisServerModel(configuration, seed: UInt64(index), at: microseconds())
            hosts[endpoint] = Host(server: server)
        }
        self.hosts = Mutex(hosts)
    }

    /// What nodes have asked for that no model does.
    package var complaints: [String] { hosts.withLock { $0.values.flatMap(\.server.complaints) } }

    // MARK: Faults

    /// Changes the server of a host, such as by a fault. Connections that it has forgotten end.
    package func change(_ endpoint: RedisEndpoint, _ change: @Sendable (inout RedisServerModel) -> [ServerOutput]) {
        hosts.withLock { hosts in
            guard var host = hosts[endpoint] else { return }
            deliver(change(&host.server), of: &host)
            for (id, receiver) in host.receivers where !host.server.has(id) {
                host.receivers[id] = nil
                receiver.eventLoop.execute { receiver.value.ended("reset") }
            }
            schedule(&host, endpoint, on: nil)
            hosts[endpoint] = host
        }
    }

    /// Executes a command as an operator does.
    @discardableResult
    package func execute(_ arguments: String..., on endpoint: RedisEndpoint) -> RESPValue {
        let now = microseconds()
        let reply = Mutex(RESPValue.null)
        change(endpoint) { server in
            let (value, outputs) = server.execute(arguments, at: now)
            reply.withLock { $0 = value }
            return outputs
        }
        return reply.withLock { $0 }
    }

    // MARK: RedisTransport

    package func connect(
        to endpoint: RedisEndpoint, encryption: RedisEncryption?, timeout: Duration, on eventLoop: any EventLoop,
        _ receiver: any RedisReceiver
    ) {
        let bound = Receiver(receiver, eventLoop: eventLoop)
        let id = hosts.withLock { hosts -> ServerConnectionID? in
            let id = hosts[endpoint]?.server.connect()
            if let id { hosts[endpoint]?.receivers[id] = bound }
            return id
        }
        guard let id else { return receiver.ended("connection refused") }
        receiver.opened(ModelConnection(endpoint: endpoint, id: id, hosts: self, eventLoop: eventLoop))
    }

    fileprivate func send(
        _ bytes: ByteBuffer, to endpoint: RedisEndpoint, from id: ServerConnectionID, on loop: any EventLoop
    ) {
        hosts.withLock { hosts in
            guard var host = hosts[endpoint] else { return }
            hosts[endpoint] = nil
            deliver(host.server.receive(bytes, from: id, at: microseconds()), of: &host)
            schedule(&host, endpoint, on: loop)
            hosts[endpoint] = host
        }
    }

    fileprivate func close(_ id: ServerConnectionID, to endpoint: RedisEndpoint) {
        hosts.withLock { hosts in
            hosts[endpoint]?.server.disconnected(id)
            guard let receiver = hosts[endpoint]?.receivers.removeValue(forKey: id) else { return }
            receiver.eventLoop.execute { receiver.value.ended("closed") }
        }
    }

    private func deliver(_ outputs: [ServerOutput], of host: inout Host) {
        for output in outputs {
            switch output {
            case .send(let bytes, let id):
                guard let receiver = host.receivers[id] else { continue }
                receiver.eventLoop.execute { receiver.value.received(bytes) }
            case .close(let id):
                guard let receiver = host.receivers.removeValue(forKey: id) else { continue }
                receiver.eventLoop.execute { receiver.value.ended("closed by Redis") }
            }
        }
    }

    private func schedule(_ host: inout Host, _ endpoint: RedisEndpoint, on loop: (any EventLoop)?) {
        host.timer?.cancel()
        host.timer = nil
        guard let deadline = host.server.nextDeadline, let loop = loop ?? host.receivers.values.first?.eventLoop else {
            return
        }
        let delay = TimeAmount.microseconds(max(0, deadline - microseconds()))
        host.timer = loop.scheduleTask(in: delay) { self.advance(endpoint, on: loop) }
    }

    private func advance(_ endpoint: RedisEndpoint, on loop: any EventLoop) {
        hosts.withLock { hosts in
            guard var host = hosts[endpoint] else { return }
            hosts[endpoint] = nil
            deliver(host.server.advance(to: microseconds()), of: &host)
            schedule(&host, endpoint, on: loop)
            hosts[endpoint] = host
        }
    }
}

/// The client's side of a connection to a model. Bytes are kept until a flush.
private final class ModelConnection: RedisConnection {
    private let endpoint: RedisEndpoint
    private let id: ServerConnectionID
    private let hosts: ModelHosts
    private let eventLoop: any EventLoop
    private var buffer = ByteBuffer()

    init(endpoint: RedisEndpoint, id: ServerConnectionID, hosts: ModelHosts, eventLoop: any EventLoop) {
        self.endpoint = endpoint
        self.id = id
        self.hosts = hosts
        self.eventLoop = eventLoop
    }

    func write(_ bytes: ByteBuffer) {
        buffer.writeImmutableBuffer(bytes)
    }

    func flush() {
        guard buffer.readableBytes > 0 else { return }
        hosts.send(buffer, to: endpoint, from: id, on: eventLoop)
        buffer = ByteBuffer()
    }

    func close() {
        hosts.close(id, to: endpoint)
    }
}
