import Foundation
import ParleyTestServers
import ParleyTestSupport

/// An OpenID provider in Python that is no relation of Parley's: oidc-provider-mock or django-oauth-toolkit; or one that
/// answers badly.
struct OIDCServer: Sendable {
    let port: Int
    /// The path of the issuer.
    private let path: String
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// It could not be made or started; PyPI is needed the first time.
    struct NotStarted: Error, CustomStringConvertible {
        let description: String
    }

    private static let python = Task {
        let directory = try TemporaryDirectory()
        let output = directory.path + "/output"
        let script = try await ChildProcess.start(
            Repository.path + "/Tests/OIDC/make-venv", [], environment: ProcessInfo.processInfo.environment,
            in: directory.path, output: output)
        let end = try await script.exit(within: .seconds(300))
        let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0), let path = lines.split(separator: "\n").last else {
            throw NotStarted(description: "make-venv ended: \(end)\n\(lines.suffix(2000))")
        }
        return String(path)
    }

    /// Starts oidc-provider-mock with the users `17`, whom it calls alice, and `18`, without a name.
    static func start() async throws -> OIDCServer {
        let port = FreePort.next()
        let users = [#"{"sub":"17","preferred_username":"alice"}"#, #"{"sub":"18"}"#]
        return try await start(
            ["-m", "oidc_provider_mock", "--port", "\(port)", "--require-nonce", "true"]
                + users.flatMap { ["--user-claims", $0] },
            port: port)
    }

    /// Starts django-oauth-toolkit with the user alice, for a Parley at this URL.
    static func startToolkit(_ port: Int, for parley: String) async throws -> OIDCServer {
        let directory = try TemporaryDirectory()
        return try await start(
            [
                Repository.path + "/Tests/OIDC/toolkit.py", "\(port)", directory.path,
                parley + "/auth/oidc/callback",
            ], port: port, path: "/o", directory: directory)
    }

    /// Starts a provider that answers in this way: `large`, `never` or `slow`.
    static func startBroken(_ mode: String) async throws -> OIDCServer {
        let port = FreePort.next()
        return try await start(
            [Repository.path + "/Tests/OIDC/broken-provider", "\(port)", mode], port: port, probe: "/ready")
    }

    private static func start(
        _ arguments: [String], port: Int, path: String = "", directory: TemporaryDirectory? = nil,
        probe: String = "/.well-known/openid-configuration"
    ) async throws -> OIDCServer {
        let directory = try directory ?? TemporaryDirectory()
        let process = try await ChildProcess.start(
            try await python.value, arguments, environment: ProcessInfo.processInfo.environment, in: directory.path,
            output: directory.path + "/log")
        let server = OIDCServer(port: port, path: path, process: process, directory: directory)
        let isReady = try await eventually(within: .seconds(60)) {
            await answers(port, path + probe)
        }
        guard isReady else { throw NotStarted(description: "the provider did not answer") }
        return server
    }

    /// Returns whether the response is a 200. The servers of Python speak HTTP/1.0, which `HTTPClient` refuses.
    private static func answers(_ port: Int, _ path: String) async -> Bool {
        guard let connection = try? await RawConnection.connect(port: port) else { return false }
        try? await connection.send(Array("GET \(path) HTTP/1.0\r\nHost: 127.0.0.1:\(port)\r\n\r\n".utf8))
        let beginning = try? await connection.read(within: .seconds(5))
        await connection.close()
        return String(decoding: (beginning ?? []).prefix(12), as: UTF8.self).hasSuffix(" 200")
    }

    var issuer: String { "http://127.0.0.1:\(port)\(path)" }

    /// The settings of a Parley that uses it.
    var environment: [String: String] { Self.environment(issuer) }

    static func environment(_ issuer: String) -> [String: String] {
        [
            "PARLEY_OIDC_ISSUER": issuer, "PARLEY_OIDC_CLIENT_ID": "parley", "PARLEY_OIDC_CLIENT_SECRET": "s3cr:t &",
            "PARLEY_OIDC_NAME": "Keymaster",
        ]
    }

    /// What a user does at the provider's page: logs in.
    /// - Returns: the path and the query to which the browser is sent.
    func logIn(_ subject: String, at address: String) async throws -> String {
        let path = try target(of: address)
        let reply = try await HTTPClient(port: port).post(path, form: ["sub": subject])
        guard let location = reply.header("location") else {
            throw TestUser.Unexpected(call: address, reply: reply)
        }
        return try target(of: location)
    }

    private func target(of address: String) throws -> String {
        guard let match = address.wholeMatch(of: /http:\/\/127\.0\.0\.1:\d+(\/.*)/) else {
            throw NotStarted(description: "not an address of this machine: \(address)")
        }
        return String(match.1)
    }

    func stop() async throws {
        process.signal(SIGKILL)
        _ = try await process.exit(within: .patience)
    }
}
