import ParleyModel
import ParleyPostgres
import ParleyTestContracts
import ParleyTestSupport
import Testing

@Suite("Errors of PostgreSQL")
struct ErrorTests {
    @Test(
        "errors are retryable or not",
        arguments: [
            ("08006", true), ("08001", true), ("40001", true), ("40P01", true), ("53100", true), ("53200", true),
            ("53300", true), ("55P03", true), ("57014", true), ("57P01", true), ("57P03", true), ("58030", true),
            ("25006", true), ("22P02", false), ("23502", false), ("23503", false), ("25P02", false), ("42P01", false),
            ("42501", false), ("XX000", false), ("XX001", false), (nil, false),
        ] as [(String?, Bool)])
    func mapping(state: String?, isRetryable: Bool) {
        let error = StoreError(PostgresError(state: state, message: "why"))
        #expect(error.isUnavailable == isRetryable)
        #expect(error.text.contains("why"))
        #expect(state == nil || error.text.contains(state ?? ""))
    }

    @Test("a unique violation is `taken`, and a store error is kept")
    func others() {
        #expect(StoreError(PostgresError(state: "23505", message: "why")) == .taken)
        #expect(StoreError(StoreError.taken) == .taken)
        #expect(StoreError(CancellationError()).isUnavailable)
    }
}
