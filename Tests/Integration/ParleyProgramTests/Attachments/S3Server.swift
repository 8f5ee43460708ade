import Foundation
import ParleyTestSupport

/// moto, an S3 server in Python that is no relation of Parley's, with one bucket.
struct S3Server: Sendable {
    static let bucket = "files"

    let port: Int
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
            Repository.path + "/Tests/S3/make-venv", [], environment: ProcessInfo.processInfo.environment,
            in: directory.path, output: output)
        let end = try await script.exit(within: .seconds(300))
        let lines = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard end == .exited(0), let path = lines.split(separator: "\n").last else {
            throw NotStarted(description: "make-venv ended: \(end)\n\(lines.suffix(2000))")
        }
        return String(path)
    }

    static func start() async throws -> S3Server {
        let (port, directory) = (FreePort.next(), try TemporaryDirectory())
        let process = try await ChildProcess.start(
            try await python.value,
            ["-c", "from moto.server import main; main()", "-H", "127.0.0.1", "-p", "\(port)"],
            environment: ProcessInfo.processInfo.environment, in: directory.path, output: directory.path + "/log")
        let server = S3Server(port: port, process: process, directory: directory)
        let isReady = try await eventually(within: .seconds(60)) {
            (try? await server.http.send("PUT", "/\(bucket)", body: []))?.status == 200
        }
        guard isReady else { throw NotStarted(description: "moto did not make a bucket") }
        return server
    }

    var http: HTTPClient {
        // moto takes the service from the credential.
        HTTPClient(
            port: port,
            headers: [
                ("Authorization", "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/s3/aws4_request, Signature=x")
            ])
    }

    /// The settings of a Parley that uses it.
    func environment(redirects: Bool) -> [String: String] {
        [
            "PARLEY_ATTACHMENTS_S3_BUCKET": Self.bucket, "PARLEY_ATTACHMENTS_S3_ENDPOINT": "http://127.0.0.1:\(port)",
            "PARLEY_ATTACHMENTS_S3_ACCESS_KEY": "test", "PARLEY_ATTACHMENTS_S3_SECRET_KEY": "secret",
            "PARLEY_ATTACHMENTS_S3_REDIRECT": "\(redirects)",
        ]
    }

    /// The keys of all objects.
    func keys() async throws -> [String] {
        let reply = try await http.get("/\(Self.bucket)?list-type=2")
        return reply.text.matches(of: /<Key>([^<]+)<\/Key>/).map { String($0.1) }
    }

    /// The keys of all multipart uploads that are neither completed nor aborted.
    func uploads() async throws -> [String] {
        let reply = try await http.get("/\(Self.bucket)?uploads")
        return reply.text.matches(of: /<Key>([^<]+)<\/Key>/).map { String($0.1) }
    }

    func stop() async throws {
        process.signal(SIGKILL)
        _ = try await process.exit(within: .patience)
    }
}
