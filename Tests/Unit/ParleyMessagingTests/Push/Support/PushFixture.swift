import ParleyMessaging
import ParleyModel
import Synchronization
import Testing

/// The senders of all services on stand-ins, and a clock.
final class PushFixture: Sendable {
    static let start: Int64 = 1_800_000_000_000
    static let deviceToken = "00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0"
    static let endpoint = "https://push.example"

    let services: PushServices
    let senders: PushSenders

    /// - Parameters:
    ///   - requests: The connection to the services; `nil` asks them directly.
    ///   - host: Replaces the hosts of Apple and Google.
    init(
        requests: (any PushRequests)? = nil, services: PushServices? = nil, host: String? = nil,
        networks: WebhookNetworks = WebhookNetworks(), maximumSends: Int = PushSenders.standardSends
    ) throws {
        let moment = Moment()
        let clock = WallClock { moment.milliseconds.withLock { $0 } }
        let services = services ?? PushServices(clock: clock)
        let requests = requests ?? services
        self.moment = moment
        self.services = services
        let hosts = host.map { APNsSender.Hosts(production: $0, sandbox: $0) } ?? .apple
        senders = PushSenders(
            apns: APNsSender(key: try #require(PushKeys.apnsKey), requests: requests, hosts: hosts, clock: clock),
            fcm: FCMSender(
                account: try FCMAccount(json: PushKeys.accountFile()), requests: requests,
                host: host ?? FCMSender.google, tokenURL: host.map { $0 + "/token" }, clock: clock),
            web: WebPushSender(
                key: try #require(PushKeys.vapidKey), networks: networks, requests: requests, clock: clock),
            maximumSends: maximumSends)
    }

    /// The current time.
    private final class Moment: Sendable {
        let milliseconds = Mutex(PushFixture.start)
    }

    private let moment: Moment

    func pass(_ duration: Duration) {
        moment.milliseconds.withLock { $0 += duration.milliseconds }
    }

    static func apns(_ environment: APNsDevice.Environment = .production) throws -> PushTarget {
        .apns(try APNsDevice(token: deviceToken, topic: "com.example.chat", environment: environment))
    }

    static func fcm(_ token: String = "fcm-token:1") throws -> PushTarget {
        .fcm(try FCMDevice(token: token))
    }

    func web() throws -> PushTarget { .web(try services.subscribe(at: Self.endpoint)) }

    /// One device for each service.
    func targets() throws -> [PushTarget] { [try Self.apns(), try Self.fcm(), try web()] }

    /// A clock for stand-ins that are made before the fixture.
    static let standing = WallClock { PushFixture.start }
}
