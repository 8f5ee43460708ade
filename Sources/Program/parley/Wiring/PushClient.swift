import ParleyAccounts
import ParleyBlobs
import ParleyMessaging
import ParleyModel

extension PushSettings {
    /// The kinds of devices whose service has a key.
    var kinds: [PushAddress.Kind] {
        PushAddress.Kind.allCases.filter { kind in
            switch kind {
            case .apns: apns != nil
            case .fcm: fcm != nil
            case .web: vapid != nil
            }
        }
    }
}

/// The connections to push services and endpoints.
enum PushClient {
    private static let names = HostNames()

    /// Returns a client that is never shut down.
    ///
    /// The endpoint of a web subscription is a URL that a user has supplied, so its addresses are checked like the addresses of webhooks
    /// are.
    static func requests(
        _ networks: WebhookNetworks, timeLimit: Duration = PushRequest.timeLimit, maximumIdle: Int = 16
    ) -> any PushRequests {
        HTTPPushRequests(
            addresses: { stranger throws(PushRequestError) in
                let found = await names.addresses(of: stranger.host)
                do throws(WebhookRefusal) {
                    return try networks.usable(found, over: stranger.isTLS ? .https : .http).map { "\($0)" }
                } catch {
                    throw PushRequestError("\(error)", isRefusal: true)
                }
            }, timeLimit: timeLimit, maximumIdle: maximumIdle)
    }
}

extension PushSenders {
    /// - Returns: `nil` without the key of any service.
    convenience init?(_ settings: PushSettings, _ networks: WebhookNetworks) {
        guard settings.apns != nil || settings.fcm != nil || settings.vapid != nil else { return nil }
        let client = PushClient.requests(networks)
        self.init(
            apns: settings.apns.map { APNsSender(key: $0, requests: client) },
            fcm: settings.fcm.map { FCMSender(account: $0, requests: client) },
            web: settings.vapid.map { WebPushSender(key: $0, networks: networks, requests: client) })
    }
}
