import ParleyAccounts
import ParleyMessaging
import ParleyTestSupport

extension WebPushReceiver {
    func subscription(at endpoint: String) throws -> WebPushSubscription {
        try WebPushSubscription(
            endpoint: endpoint, p256dh: Base64URL.encode(publicKey), auth: Base64URL.encode(secret))
    }
}
