package import NIOCore
import ParleyModel
import ParleyWire

/// The current scenario and the connections of the client. Bound to an event loop.
package final class KitLoop {
    /// The maximum number of concurrent connections, more than a client needs. Further connections are closed.
    static let maximumChannels = 64

    private let loop: NIOIsolatedEventLoop
    private var machine: ScenarioMachine?
    private var began = NIODeadline.now()
    private var timer: Scheduled<Void>?
    private var finished: ((ScenarioResult) -> Void)?
    private var asked: ((String, String) -> Void)?
    private var sockets: [Int: SocketHandler] = [:]
    private var pending: [Int: UpgradeHandler] = [:]
    private var channels = 0
    private var lastNumber = 0

    package init(_ loop: any EventLoop) { self.loop = loop.assumeIsolated() }

    private var now: Duration { .nanoseconds((NIODeadline.now() - began).nanoseconds) }

    /// Runs a scenario.
    /// - Parameters:
    ///   - asked: Called with requests to the client: a line for a program, and a text for a person.
    ///   - finished: Called once, at the end.
    package func run(
        _ machine: ScenarioMachine, asked: @escaping (String, String) -> Void,
        finished: @escaping (ScenarioResult) -> Void
    ) {
        self.machine = machine
        self.asked = asked
        self.finished = finished
        began = NIODeadline.now()
        lastNumber = 0
        for socket in sockets.values { socket.cut() }
        sockets = [:]
        process(.tick)
    }

    func process(_ event: ScenarioEvent) {
        let actions = machine?.handle(event, at: now) ?? []
        for action in actions { perform(action) }
        schedule()
    }

    private func schedule() {
        if let result = machine?.result, let finished {
            self.finished = nil
            finished(result)
        }
        timer?.cancel()
        timer = machine?.deadline.map { deadline in
            let left = max(0, (deadline - now).milliseconds + 1)
            return loop.scheduleTask(in: .milliseconds(left)) { [self] in process(.tick) }
        }
    }

    private func perform(_ action: ScenarioAction) {
        switch action {
        case .accept(let number): sockets[number] = pending.removeValue(forKey: number)?.accept(number)
        case .reject(let number, let status, let retryAfter):
            pending.removeValue(forKey: number)?.reject(status, retryAfter: retryAfter)
        case .send(let number, let text): sockets[number]?.send(text)
        case .pong(let number): sockets[number]?.pong()
        case .close(let number, let code): sockets[number]?.close(code)
        case .cut(let number): sockets.removeValue(forKey: number)?.cut()
        case .ask(let line, let text): asked?(line, text)
        }
    }

    // MARK: Connections

    /// - Returns: Whether to keep the connection.
    func opened() -> Bool {
        channels += 1
        return channels <= Self.maximumChannels
    }

    func closed() { channels -= 1 }

    func attempted(_ handler: UpgradeHandler, _ handshake: Handshake) {
        guard machine != nil else { return handler.reject(503, retryAfter: 1) }
        lastNumber += 1
        pending[lastNumber] = handler
        process(.attempted(lastNumber, handshake))
    }

    func ended(_ number: Int) {
        guard sockets.removeValue(forKey: number) != nil else { return }
        process(.ended(number))
    }

    func respond(to call: RESTCall) -> RESTAnswer {
        guard machine != nil, let answer = machine?.respond(to: call, at: now) else {
            return .failure(503, .unavailable, "no scenario is running")
        }
        process(.tick)
        return answer
    }

    /// Returns whether these header fields authenticate the user.
    func isAuthorized(authorization: String?, cookie: String?) -> Bool {
        guard let session = machine?.session else { return false }
        if let authorization {
            let parts = authorization.split(separator: " ", maxSplits: 1)
            guard parts.count == 2 else { return false }
            if parts[0].lowercased() == "basic" { return true }
            return parts[1] == session || parts[1].hasPrefix("pk_")
        }
        let pairs = (cookie ?? "").split(separator: ";").map { $0.drop { $0 == " " } }
        return pairs.contains("sessionid=\(session)")
    }
}
