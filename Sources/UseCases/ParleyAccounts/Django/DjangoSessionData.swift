import CZlib
import ParleyJSON

/// The user data of a signed session, with Django's own `SESSION_SERIALIZER`, JSON.
package struct DjangoSessionData: Hashable {
    /// `_auth_user_id`: the user's primary key as text.
    var userKey: String
    /// `_auth_user_backend`.
    var backend: String
    /// `_auth_user_hash`.
    var passwordMark: String

    /// Maximum decompressed size of a session, in bytes.
    private static let maximumBytes = 1 << 20

    /// - Parameter text: base64url of the JSON, or a point and base64url of the compressed JSON.
    /// - Returns: `nil` if it is not a session, or one without a user.
    package init?(_ text: Substring) {
        let json: [UInt8]?
        if text.hasPrefix(".") {
            json = Base64URL.decode(text.dropFirst()).flatMap(Self.inflated)
        } else {
            json = Base64URL.decode(text)
        }
        guard let json, let tree = try? JSONTree(parsing: json), let userKey = tree["_auth_user_id"]?.text,
            let backend = tree["_auth_user_backend"]?.text, let passwordMark = tree["_auth_user_hash"]?.text
        else { return nil }
        self.userKey = userKey
        self.backend = backend
        self.passwordMark = passwordMark
    }

    private static func inflated(_ bytes: [UInt8]) -> [UInt8]? {
        var capacity = max(1024, 4 * bytes.count)
        while true {
            capacity = min(capacity, maximumBytes)
            var length = UInt(capacity)
            var status = Z_OK
            let content = [UInt8](unsafeUninitializedCapacity: capacity) { room, count in
                status = uncompress(room.baseAddress, &length, bytes, UInt(bytes.count))
                count = status == Z_OK ? Int(length) : 0
            }
            if status == Z_OK { return content }
            guard status == Z_BUF_ERROR, capacity < maximumBytes else { return nil }
            capacity *= 4
        }
    }
}
