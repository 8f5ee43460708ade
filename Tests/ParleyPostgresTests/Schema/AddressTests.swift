import ParleyModel
import ParleyPostgres
import ParleyTestSupport
import Testing

@Suite("Addresses of databases")
struct AddressTests {
    @Test(
        "an invalid address is refused without showing a password",
        arguments: [
            "", "localhost", "mysql://u:s3cret@h/db", "postgres://u:s3cret@[h/db",
            "postgres://u:s3cret@h/db?nope=s3cret",
            "postgres://u:s3%zzcret@h/db", "host=h password='s3cret",
        ])
    func refused(address: String) {
        let error = #expect(throws: StoreError.self) { try PostgresSettings(url: address) }
        #expect(error?.text.contains("postgres://user@host:port/database") == true)
        #expect(error?.text.contains("s3") == false)
    }

    @Test(
        "every form that libpq accepts is allowed",
        arguments: [
            "postgres://u:s3cret@h/db", "postgresql://u@h1:1,h2:2/db?target_session_attrs=read-write",
            "postgres:///db?host=/run/postgresql", "host=h dbname=db user=u",
        ])
    func allowed(address: String) throws {
        _ = try PostgresSettings(url: address)
    }

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
