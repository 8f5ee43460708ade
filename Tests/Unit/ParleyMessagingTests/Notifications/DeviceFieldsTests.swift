import ParleyAccounts
import ParleyMessaging
import ParleyModel
import Testing

@Suite("Fields of devices, at their limits")
struct DeviceFieldsTests {
    /// The base point of P-256.
    private static let key = "BGsX0fLhLEJH-Lzm5WOkQPJ3A32BLeszoPShOUXYmMKWT-NC4v4af5uO5-tKfA-eFivOM1drMV7Oy7ZAaDe_UfU"
    private static let point = Base64URL.decode(key) ?? []
    private static let secret = Base64URL.encode([UInt8](repeating: 7, count: 16))

    private static func web(
        _ endpoint: String? = "https://push.example/1", key: String? = DeviceFieldsTests.key,
        secret: String? = DeviceFieldsTests.secret
    ) -> DeviceFields {
        DeviceFields(endpoint: endpoint, publicKey: key, secret: secret)
    }

    private static func endpoint(_ length: Int) -> String {
        let prefix = "https://push.example/"
        return prefix + String(repeating: "e", count: length - prefix.count)
    }

    private static func isRefused(_ fields: DeviceFields, _ kind: PushAddress.Kind, naming field: String) -> Bool {
        do throws(MessagingError) {
            _ = try fields.address(of: kind)
            return false
        } catch {
            return error.code == .badRequest && error.message.hasPrefix(field)
        }
    }

    @Test("a token of Apple is hexadecimal, and kept in lower case")
    func apns() throws {
        func fields(_ token: String?, _ topic: String? = "org.example.chat", _ environment: String? = nil)
            -> DeviceFields
        {
            DeviceFields(token: token, topic: topic, environment: environment)
        }
        let address = try fields("0A1b").address(of: .apns)
        #expect(address == .apns(token: "0a1b", topic: "org.example.chat", environment: .production))
        #expect(try fields("0a", "A-1.b", "sandbox").address(of: .apns).environment == .sandbox)
        #expect(try fields(String(repeating: "a", count: 200)).address(of: .apns).token.count == 200)
        #expect(try fields("0a", String(repeating: "t", count: 155)).address(of: .apns).topic?.count == 155)
        for token in [nil, "", "a", "abc", "0g", "0a ", "é0", String(repeating: "a", count: 202)] {
            #expect(Self.isRefused(fields(token), .apns, naming: "token "), "\(token ?? "nil")")
        }
        for topic in [nil, "", "a b", "a/b", "ä", String(repeating: "t", count: 156)] {
            #expect(Self.isRefused(fields("0a", topic), .apns, naming: "topic "), "\(topic ?? "nil")")
        }
        for environment in ["", "Sandbox", "development"] {
            #expect(Self.isRefused(fields("0a", "t", environment), .apns, naming: "environment "))
        }
    }

    @Test("a registration token of Firebase is visible ASCII, up to 4,096 characters")
    func fcm() throws {
        #expect(try DeviceFields(token: "a:B_-").address(of: .fcm) == .fcm(token: "a:B_-"))
        #expect(try DeviceFields(token: String(repeating: "t", count: 4096)).address(of: .fcm).token.count == 4096)
        for token in [nil, "", "a b", "a\u{7F}", "ä", "a\n", String(repeating: "t", count: 4097)] {
            #expect(Self.isRefused(DeviceFields(token: token), .fcm, naming: "token "))
        }
    }

    @Test("an endpoint is an https URL of at most 2,048 characters with a host")
    func endpoints() throws {
        let accepted = [
            "https://push.example", "https://push.example:8443/a?b=c", "HTTPS://Push.example/", "https://[::1]/a",
            Self.endpoint(2048),
        ]
        for text in accepted {
            let address = try Self.web(text).address(of: .web)
            #expect(address == .web(endpoint: text, publicKey: Self.key, secret: Self.secret))
        }
        let refused: [String?] = [
            nil, "", "https://", "https:///a", "https://?a", "https://:443/", "http://push.example/",
            "ftp://push.example",
            "push.example", "//push.example", "https://user@push.example/", "https://a:b@push.example/",
            "https://push.example/#a", "https://push.example\\@other/", "https://push example/",
            " https://push.example",
            "https://push.example/\u{0}", "https://püsh.example/", "https://push.example/\r\nHost: other",
            Self.endpoint(2049),
        ]
        for text in refused { #expect(Self.isRefused(Self.web(text), .web, naming: "endpoint "), "\(text ?? "nil")") }
    }

    @Test("the keys of a subscription are an uncompressed point of the curve and 16 bytes, in base64url")
    func keys() throws {
        #expect(try Self.web().address(of: .web).publicKey == Self.key)
        let other = [UInt8](repeating: 4, count: 65)
        let compressed: [UInt8] = [2] + Array(Self.point.dropFirst().prefix(32))
        let wrongForm: [UInt8] = [3] + Array(Self.point.dropFirst())
        let points: [String?] = [
            nil, "", Self.key + "=", String(Self.key.dropLast()), Self.key + "AA", Base64URL.encode(other),
            Base64URL.encode(compressed), Base64URL.encode(wrongForm), "+/" + Self.key.dropFirst(2),
        ]
        for point in points {
            #expect(Self.isRefused(Self.web(key: point), .web, naming: "keys.p256dh "), "\(point ?? "nil")")
        }
        for count in [0, 1, 15, 17, 32] {
            let secret = Base64URL.encode([UInt8](repeating: 7, count: count))
            #expect(Self.isRefused(Self.web(secret: secret), .web, naming: "keys.auth "), "\(count)")
        }
        #expect(Self.isRefused(Self.web(secret: nil), .web, naming: "keys.auth "))
        #expect(Self.isRefused(Self.web(secret: Self.secret + "=="), .web, naming: "keys.auth "))
    }

    @Test("errors show no value")
    func errors() {
        for fields in [Self.web("http://secret.example/"), Self.web(key: "secret"), Self.web(secret: "secret")] {
            do throws(MessagingError) {
                _ = try fields.address(of: .web)
                Issue.record("accepted")
            } catch {
                #expect(!error.message.contains("secret"))
            }
        }
    }
}
