import Logging
import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestServers
import ParleyTestSupport
import Testing

@Suite("Addresses of databases")
struct AddressTests {
    @Test("a wrong address is reported by the first call, without the password")
    func wrong() async throws {
        let server = try await SharedPostgres.server()
        let closed = FreePort.next()
        let cases: [(address: String, expected: String)] = [
            ("postgres://parley:s3cret@127.0.0.1:\(server.port)/postgres", "password authentication failed"),
            ("postgres://nobody:s3cret@127.0.0.1:\(server.port)/postgres", "password authentication failed"),
            (server.url(database: "nowhere"), "database \"nowhere\" does not exist"),
            ("postgres://parley:s3cret@127.0.0.1:\(closed)/postgres", "Connection refused"),
            ("postgres://parley:s3cret@no-such-host.invalid/postgres", "could not translate host name"),
            ("postgres://parley:s3cret@/postgres?host=/nowhere", "No such file or directory"),
            (
                "postgres://parley:s3cret@127.0.0.1:\(server.port)/postgres?sslmode=require",
                "server does not support SSL"
            ),
        ]
        for (address, expected) in cases {
            let store = PostgresStore(try PostgresSettings(url: address), logger: .quiet)
            let error = await #expect(throws: StoreError.self) { try await store.check() }
            #expect(error?.isUnavailable == true)
            #expect(error?.text.contains(expected) == true, "\(String(describing: error))")
            #expect(error?.text.contains("s3cret") == false)
            #expect(error?.text.contains(PostgresServer.password) == false)
            #expect(error?.text.contains("\n") == false)
            await store.close()
        }
    }
}
