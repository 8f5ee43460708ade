import ParleyMessaging
import ParleyModel

extension PushTarget {
    /// - Returns: `nil` for an address that its service cannot have.
    init?(_ address: PushAddress) {
        do throws(PushTargetError) {
            switch address {
            case .apns(let token, let topic, let place):
                let environment: APNsDevice.Environment = place == .sandbox ? .sandbox : .production
                self = .apns(try APNsDevice(token: token, topic: topic, environment: environment))
            case .fcm(let token): self = .fcm(try FCMDevice(token: token))
            case .web(let endpoint, let publicKey, let secret):
                self = .web(try WebPushSubscription(endpoint: endpoint, p256dh: publicKey, auth: secret))
            }
        } catch {
            return nil
        }
    }
}
