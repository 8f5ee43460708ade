import Crypto
import CryptoExtras
import ParleyAccounts
import ParleyMessaging
import Testing

@Suite("Settings of pushes")
struct PushSettingsTests {
    private static let names = [
        "PARLEY_PUSH_APNS_KEY_FILE": "apns.p8", "PARLEY_PUSH_APNS_KEY_ID": PushKeys.keyID,
        "PARLEY_PUSH_APNS_TEAM_ID": PushKeys.teamID, "PARLEY_PUSH_FCM_ACCOUNT_FILE": "fcm.json",
        "PARLEY_PUSH_VAPID_KEY_FILE": "vapid.pem", "PARLEY_PUSH_VAPID_SUBJECT": "mailto:operator@example.com",
    ]

    private static func files() throws -> [String: [UInt8]] {
        [
            "apns.p8": Array(PushKeys.apns.pemRepresentation.utf8), "fcm.json": try PushKeys.accountFile(),
            "vapid.pem": Array(PushKeys.vapid.pemRepresentation.utf8),
        ]
    }

    /// The problems of settings, each as a line.
    private static func problems(
        _ changes: [String: String] = [:], files changed: [String: [UInt8]] = [:]
    ) throws -> [String] {
        let files = try files().merging(changed) { $1 }
        do {
            _ = try PushSettings(environment: names.merging(changes) { $1 }) { path in
                guard let content = files[path] else { throw CancellationError() }
                return content
            }
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    @Test("without values, all services are off; an empty value is none")
    func absent() throws {
        for environment in [[:], Self.names.mapValues { _ in "" }] {
            let settings = try PushSettings(environment: environment) { _ in throw CancellationError() }
            #expect(settings.apns == nil && settings.fcm == nil && settings.vapid == nil)
        }
    }

    @Test("the keys of files are read")
    func complete() throws {
        let files = try Self.files()
        let settings = try PushSettings(environment: Self.names) { files[$0] ?? [] }
        #expect(settings.apns?.publicKeyPEM == PushKeys.apns.publicKey.pemRepresentation)
        #expect(settings.fcm?.project == "project-1")
        #expect(settings.fcm?.publicKeyPEM == PushKeys.fcm?.publicKey.pemRepresentation)
        #expect(
            settings.vapid?.applicationServerKey == Base64URL.encode(PushKeys.vapid.publicKey.x963Representation))
    }

    @Test("a key of Web Push may be 32 bytes in base64url, with a line end")
    func raw() throws {
        let text = Base64URL.encode(PushKeys.vapid.rawRepresentation) + "\n"
        #expect(try Self.problems(files: ["vapid.pem": Array(text.utf8)]) == [])
    }

    @Test("parts of a group are required together", arguments: names.keys.filter { !$0.contains("FCM") }.sorted())
    func parts(name: String) throws {
        let problems = try Self.problems([name: ""])
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(name): is not set, but PARLEY_PUSH_") == true)
    }

    @Test("all problems are reported at once, with what is expected")
    func all() throws {
        let problems = try Self.problems([
            "PARLEY_PUSH_APNS_KEY_ID": "short", "PARLEY_PUSH_FCM_ACCOUNT_FILE": "missing.json",
            "PARLEY_PUSH_VAPID_SUBJECT": "operator@example.com",
        ])
        #expect(
            problems == [
                "PARLEY_PUSH_APNS_KEY_ID: invalid value \"short\"; expected 10 capital letters and digits",
                "PARLEY_PUSH_FCM_ACCOUNT_FILE: missing.json cannot be read",
                "PARLEY_PUSH_VAPID_SUBJECT: invalid value \"operator@example.com\"; expected mailto:name@host or an "
                    + "https URL",
            ])
    }

    @Test("files without a key, and with one of another kind")
    func files() throws {
        let other = Array(P384.Signing.PrivateKey().pemRepresentation.utf8)
        for file in [[], Array("text".utf8), other, Array(PushKeys.apns.publicKey.pemRepresentation.utf8)] {
            #expect(
                try Self.problems(files: ["apns.p8": file, "vapid.pem": file]) == [
                    "PARLEY_PUSH_APNS_KEY_FILE: apns.p8 has no private key of P-256 in PEM; expected a .p8 file",
                    "PARLEY_PUSH_VAPID_KEY_FILE: vapid.pem has no private key of P-256; expected PEM, or 32 bytes in "
                        + "base64url",
                ])
        }
        let large = try Self.problems(files: ["vapid.pem": Array(repeating: 0x20, count: 65_537)])
        #expect(large == ["PARLEY_PUSH_VAPID_KEY_FILE: vapid.pem has 65537 bytes; expected at most 65536"])
    }

    @Test(
        "files that are not of a service account",
        arguments: [
            (["type": "authorized_user"], "has another type than service_account"),
            (["project_id": ""], "has no text project_id; expected the JSON file of a service account"),
            (
                ["project_id": "../x"],
                "project_id is not 1 to 64 lower-case letters, digits, hyphens, points and colons"
            ),
            (["client_email": ""], "has no text client_email; expected the JSON file of a service account"),
            (["token_uri": "http://oauth2.example/token"], "token_uri is not an https URL"),
            (["token_uri": "https://user@oauth2.example"], "token_uri is not an https URL"),
            (["private_key": "secret text"], "private_key is not an RSA key of 2048 bits or more in PEM"),
        ])
    func account(changes: [String: String], problem: String) throws {
        let problems = try Self.problems(files: ["fcm.json": PushKeys.accountFile(changes)])
        #expect(problems == ["PARLEY_PUSH_FCM_ACCOUNT_FILE: fcm.json \(problem)"])
        #expect(try Self.problems(files: ["fcm.json": Array("[".utf8)]).count == 1)
    }

    @Test(
        "contacts of Web Push",
        arguments: [
            ("mailto:a@b.example", true), ("https://b.example/contact", true), ("mailto:", false), ("mailto:a", false),
            ("http://b.example", false), ("a@b.example", false), ("mailto:a@b c", false), ("", false),
            ("mailto:" + String(repeating: "a", count: 250) + "@b", false),
        ])
    func subjects(text: String, isSubject: Bool) {
        #expect(VAPIDKey.isSubject(text) == isSubject)
    }
}
