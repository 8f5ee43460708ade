import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

/// A real server whose time of day is set by the test, so that its replies can be foretold.
struct PinnedRedis {
    let server: RedisServer
    private let clock: FileHandle
    private let directory: TemporaryDirectory

    /// - Parameter microseconds: the Unix time.
    static func start(at microseconds: Int64) async throws -> PinnedRedis {
        let directory = try TemporaryDirectory()
        let (library, clock) = (directory.path + "/pinned_clock.so", directory.path + "/clock")
        let source = Repository.url("Tests/Fixtures/pinned-clock/pinned_clock.c").path()
        let compiler = try await ChildProcess.start(
            "cc", ["-shared", "-fPIC", "-O1", "-o", library, source],
            environment: ["PATH": "/usr/bin:/bin:/usr/local/bin:/opt/swift/usr/bin"], in: directory.path,
            output: directory.path + "/cc.log")
        try #require(try await compiler.exit(within: .seconds(60)) == .exited(0), "cc cannot compile \(source)")
        try Data(Self.bytes(microseconds)).write(to: URL(filePath: clock))
        let server = try await RedisServer.start(
            .init(environment: ["LD_PRELOAD": library, "PINNED_CLOCK": clock]))
        return PinnedRedis(
            server: server, clock: try FileHandle(forUpdating: URL(filePath: clock)), directory: directory)
    }

    func set(microseconds: Int64) throws {
        try clock.seek(toOffset: 0)
        try clock.write(contentsOf: Self.bytes(microseconds))
    }

    private static func bytes(_ microseconds: Int64) -> [UInt8] {
        withUnsafeBytes(of: microseconds) { Array($0) }
    }
}
