import ParleyModel
import ParleyPostgres
import ParleyTestContracts
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
}
