import ParleyModel
import Testing

@Suite struct UserReferenceTests {
    @Test(
        "a prefix says what a value is; the form of ids decides without one; everything else may be either",
        arguments: [
            ("id:7", "7", nil), ("id:bob", "bob", nil), ("id:", nil, nil), ("id:ü", nil, nil), ("id:id:7", nil, nil),
            ("name:bob", nil, "bob"), ("name:7", nil, "7"), ("name:ü", nil, "ü"), ("name:", nil, nil),
            ("921894", "921894", nil), ("0", "0", nil), ("-1", "-1", "-1"), ("1.5", "1.5", "1.5"),
            ("0190b7c179b07cc398c4dc0c0c07398f", "0190b7c179b07cc398c4dc0c0c07398f", nil),
            ("0190B7C1-79B0-7CC3-98C4-DC0C0C07398F", "0190B7C1-79B0-7CC3-98C4-DC0C0C07398F", nil),
            (
                "0190b7c1-79b07cc398c4-dc0c-0c07398f1", "0190b7c1-79b07cc398c4-dc0c-0c07398f1",
                "0190b7c1-79b07cc398c4-dc0c-0c07398f1"
            ),
            ("bob", "bob", "bob"), ("ü", nil, "ü"), ("Bob@example.org", nil, "Bob@example.org"), ("", nil, nil),
            (String(repeating: "7", count: 91), nil, nil),
        ] as [(String, String?, String?)])
    func parsing(text: String, id: String?, name: String?) {
        let reference = UserReference(text, idForm: .standard)
        #expect(reference.id?.text == id)
        #expect(reference.name == name)
        #expect(reference.isPossible == (id != nil || name != nil))
    }

    @Test("a reference by id has no name, and one by name no id")
    func forced() {
        #expect(UserReference(id: UserID(trusted: "bob")) == UserReference("id:bob", idForm: .standard))
        #expect(UserReference(name: "bob") == UserReference("name:bob", idForm: .standard))
    }

    @Test(
        "a form is a list of kinds and beginnings",
        arguments: [
            ("digits", ["7"], ["7a", "", "٧", "0190b7c179b07cc398c4dc0c0c07398f"]),
            ("uuid", ["0190b7c179b07cc398c4dc0c0c07398f"], ["7", "0190b7c179b07cc398c4dc0c0c07398", "alice"]),
            ("emp-*, digits", ["emp-", "emp-7", "7"], ["emp", "EMP-7", "emp-ü", "emp-7 "]),
            ("*", ["7", "alice", "a.b"], ["ü", "a@b", ""]),
            ("none", [], ["7", "alice"]),
        ])
    func forms(list: String, ids: [String], others: [String]) throws {
        let form = try #require(UserIDForm(list))
        for id in ids { #expect(form.contains(id), "\(id)") }
        for other in others { #expect(!form.contains(other), "\(other)") }
    }

    @Test("anything else is no form", arguments: ["", "digit", "emp-", "none,digits", "digits,", "ü*", "a b c:*"])
    func wrong(list: String) {
        #expect(UserIDForm(list) == nil)
    }
}
