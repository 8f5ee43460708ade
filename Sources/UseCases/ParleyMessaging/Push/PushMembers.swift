import Crypto
import ParleyAccounts
import ParleyJSON
import ParleyModel

extension PushNotification {
    /// Writes the members that all services carry, as docs/protocol/push-payloads.md lists them.
    /// - Parameter texts: The title and the text, cut; `nil` where the service has them elsewhere.
    func writeMembers(to json: inout JSONWriter, texts: (title: String, body: String)?) {
        json.member("kind", kindName)
        json.member("thread", thread.text)
        if let alert {
            json.member("id", alert.id.text)
            json.key("sender")
            json.object { json in
                json.member("id", alert.sender.text)
                json.member("name", alert.senderName)
            }
            json.member("thread_kind", alert.threadKind.rawValue)
            json.member("mention", alert.isMention)
            if let texts {
                json.member("title", texts.title)
                json.member("body", texts.body)
            }
        }
        json.member("seq", seq)
        json.key("unread")
        json.object { json in
            json.member("thread", Int64(max(0, unread.thread)))
            json.member("total", Int64(max(0, unread.total)))
        }
        json.member("at_ms", at)
    }
}

/// The key by which a newer push replaces an older one that the service or the device still has.
enum PushCollapse {
    /// 32 characters of base64url: the newest push of each kind stays for a thread.
    ///
    /// A `clear` has another key than a message, since a badge without an alert must not replace an alert that is shown.
    static func key(of notification: PushNotification) -> String {
        let content = "\(notification.kindName) \(notification.thread.text)"
        return Base64URL.encode(SHA256.hash(data: Array(content.utf8)).prefix(24))
    }

    /// The topic of Web Push (RFC 8030 §5.4): 32 characters of base64url.
    ///
    /// Made with the subscription's secret, so that a push service cannot tell which subscriptions share a thread. A `clear`
    /// replaces a message that waits, since both are data for the page's service worker.
    static func topic(of notification: PushNotification, secret: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("parley push topic \(notification.thread.text)".utf8), using: SymmetricKey(data: secret))
        return Base64URL.encode(Array(code).prefix(24))
    }
}

extension JSONTree {
    /// The body of a response; `nil` if it is not JSON, as a body that was cut is not.
    static func answer(_ body: [UInt8]) -> JSONTree? {
        body.isEmpty ? nil : try? JSONTree(parsing: body)
    }
}
