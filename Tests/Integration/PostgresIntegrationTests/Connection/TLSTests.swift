import ParleyModel
import ParleyPostgres
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("A PostgreSQL connection over TLS")
struct TLSTests {
    @Test("the certificate is verified, and series of any size work")
    func verified() async throws {
        let server = try await PostgresServer.start(hasTLS: true)
        let url = server.url(database: "postgres")
        let connection = try PostgresConnection(
            PostgresSettings(url: url + "?sslmode=verify-full&sslrootcert=\(server.certificatePath)"))
        let encryption = Statement("SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
        #expect(try connection.run([encryption()])[0].first?.bool(0) == true)
        // TLS records wait in a buffer of their own, which polling the socket does not show.
        let echo = Statement("SELECT $1::bytea")
        for size in [1, 8_000, 16_383, 16_384, 16_385, 100_000, 3_000_000] {
            let responses = try connection.run((0..<5).map { echo(.bytes([UInt8](repeating: $0, count: size))) })
            #expect(try responses.map { try $0.first?.optionalBytes(0)?.count } == Array(repeating: size, count: 5))
        }
        let many = Statement("SELECT number::bigint FROM generate_series(1, $1::bigint) AS number")
        for count in stride(from: Int64(1), to: 5000, by: 97) {
            #expect(try connection.run([many(.int(count))])[0].count == Int(count))
        }

        let wrong = #expect(throws: PostgresError.self) {
            try PostgresConnection(
                PostgresSettings(
                    url: url.replacing("127.0.0.1", with: "localhost")
                        + "?sslmode=verify-full&sslrootcert=\(server.certificatePath)"))
        }
        #expect(wrong?.message.contains("does not match host name") == true, "\(String(describing: wrong))")
        try await server.stop()
    }
}
