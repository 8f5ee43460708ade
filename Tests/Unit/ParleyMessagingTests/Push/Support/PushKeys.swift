import Crypto
import CryptoExtras
import Foundation
import ParleyAccounts
import ParleyMessaging

/// Keys that are made for each run of the tests.
enum PushKeys {
    static let apns = P256.Signing.PrivateKey()
    static let vapid = P256.Signing.PrivateKey()
    static let fcm = try? _RSA.Signing.PrivateKey(keySize: .bits2048)

    static let keyID = "ABC123DEFG"
    static let teamID = "DEF123GHIJ"
    static let email = "parley@project-1.iam.gserviceaccount.com"
    static let tokenURL = "https://oauth2.example/token"

    static var apnsKey: APNsKey? { APNsKey(pem: apns.pemRepresentation, keyID: keyID, teamID: teamID) }

    static var vapidKey: VAPIDKey? {
        VAPIDKey(Base64URL.encode(vapid.rawRepresentation), subject: "mailto:operator@example.com")
    }

    /// The file of a service account.
    static func accountFile(_ changes: [String: String] = [:]) throws -> [UInt8] {
        var members = [
            "type": "service_account", "project_id": "project-1", "private_key_id": "key-1",
            "private_key": fcm?.pemRepresentation ?? "", "client_email": email, "token_uri": tokenURL,
        ]
        members.merge(changes) { $1 }
        return Array(try JSONEncoder().encode(members))
    }
}
