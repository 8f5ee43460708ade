import ParleyModel
import Testing

@Suite("The creation time in a clientID")
struct ClientIDTimeTests {
    @Test(
        "a UUIDv7 and a ULID contain their time",
        arguments: [
            // The examples of RFC 9562 (A.6) and of the ULID specification.
            ("017F22E2-79B0-7CC3-98C4-DC0C0C07398F", 1_645_557_742_000),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", 1_645_557_742_000),
            ("017f22e2-79B0-7cc3-B8c4-dc0c0c07398f", 1_645_557_742_000),
            ("00000000-0000-7000-8000-000000000000", 0),
            ("ffffffff-ffff-7fff-bfff-ffffffffffff", (1 << 48) - 1),
            ("01ARZ3NDEKTSV4RRFFQ69G5FAV", 1_469_922_850_259),
            ("01arz3ndektsv4rrffq69g5fav", 1_469_922_850_259),
            ("00000000000000000000000000", 0), ("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", (1 << 48) - 1),
        ] as [(String, Int64)])
    func time(_ id: String, _ milliseconds: Int64) {
        #expect(ClientIDTime.milliseconds(of: id) == milliseconds)
    }

    @Test(
        "other ids have no time",
        arguments: [
            "", "c-1", "0190b7",
            // Versions 4 and 1, and another variant.
            "919108f7-52d1-4320-9bac-f847db4148a8", "c232ab00-9414-11ec-b3c8-9f6bdeced846",
            "017f22e2-79b0-7cc3-c8c4-dc0c0c07398f", "017f22e2-79b0-7cc3-18c4-dc0c0c07398f",
            // Not in canonical form.
            "017f22e279b07cc398c4dc0c0c07398f", "{017f22e2-79b0-7cc3-98c4-dc0c0c07398f}",
            "urn:uuid:017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2_79b0_7cc3_98c4_dc0c0c07398f",
            "017f22e2-79b0-7cc3-98c4-dc0c0c07398g", "017f22e-279b0-7cc3-98c4-dc0c0c07398f",
            " 17f22e2-79b0-7cc3-98c4-dc0c0c07398f", "017f22e2-79b0-7cc3-98c4-dc0c0c07398",
            // More than 128 bits, letters that are not digits, and other lengths.
            "8ZZZZZZZZZZZZZZZZZZZZZZZZZ", "01ARZ3NDEKTSV4RRFFQ69G5FAI", "01ARZ3NDEKTSV4RRFFQ69G5FAl",
            "01ARZ3NDEKTSV4RRFFQ69G5FAO", "01ARZ3NDEKTSV4RRFFQ69G5FAu", "01ARZ3NDEKTSV4RRFFQ69G5FA",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV0", "01ARZ3NDEK-SV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5F\u{E9}",
            "@1ARZ3NDEKTSV4RRFFQ69G5FAV", "`1ARZ3NDEKTSV4RRFFQ69G5FAV", "01ARZ3NDEKTSV4RRFFQ69G5FA{",
            "01ARZ3NDEKTSV4RRFFQ69G5FA:", "01ARZ3NDEKTSV4RRFFQ69G5FA[",
        ])
    func silent(_ id: String) {
        #expect(ClientIDTime.milliseconds(of: id) == nil)
    }

    @Test("a non-digit byte that differs from a letter only by 32 is not a digit")
    func folding() {
        // `p` minus 32 is `P`; `\u{50}` and `\u{70}` are the letter, `\u{5F}` and `\u{7F}` are not.
        #expect(ClientIDTime.milliseconds(of: "01ARZ3NDEKTSV4RRFFQ69G5FAp") != nil)
        #expect(ClientIDTime.milliseconds(of: "01ARZ3NDEKTSV4RRFFQ69G5FA\u{7F}") == nil)
        #expect(ClientIDTime.milliseconds(of: "01ARZ3NDEKTSV4RRFFQ69G5FA_") == nil)
    }
}
