package import ParleyModel
import Testing

extension NameLook {
    /// The rule of the contract's stores: `о` of Cyrillic looks like `o`, and `m` like `rn`.
    package static let ofContract: Rule = { name in
        let lower = name.lowercased()
        let shape = lower.replacing("о", with: "o").replacing("m", with: "rn")
        // A second look, of capitals.
        let second = name.replacing("В", with: "B").lowercased()
        return NameLook(shapes: [shape, second], plain: lower.utf8.allSatisfy { $0 < 0x80 } ? lower : nil)
    }
}

extension StoreFact {
    /// Names that look like others.
    static let nameLooks: [StoreFact] = [
        StoreFact("a chosen name that looks like a user's is taken; others bring any name") { fixture in
            let store = fixture.store
            func create(_ name: String, _ id: String, _ origin: AccountOrigin = .signUp) async throws {
                try await store.createUser(User(id: UserID(trusted: id), name: name), passwordHash: nil, origin: origin)
            }
            try await create("modem", "1")
            try await create("modern", "2")
            for (name, id) in [("Modem", "3"), ("mоdem", "4"), ("MОDERN", "5"), ("mоdern", "6")] {
                await #expect(throws: StoreError.taken, "\(name)") { try await create(name, id) }
            }
            // With those brought by others it is the same, whichever came first.
            try await create("bob", "7", .command)
            await #expect(throws: StoreError.taken) { try await create("BОB", "8") }
            await #expect(throws: StoreError.taken) { try await create("Вob", "9") }
            for (number, origin) in AccountOrigin.allCases.filter({ !$0.isChosen }).enumerated() {
                try await create("bОb" + String(repeating: "m", count: number), "o\(number)", origin)
                try await create("bоb" + String(repeating: "M", count: number), "p\(number)", origin)
            }
            let records: [ImportRecord] = [
                .user(User(id: UserID(trusted: "i1"), name: "Modem"), passwordHash: nil),
                .user(User(id: UserID(trusted: "i2"), name: "mоdem"), passwordHash: nil),
            ]
            #expect(try await store.importRecords(records, at: 1) == [.added, .added])
            await #expect(throws: StoreError.taken) { try await create("mОdem", "i3") }
        },
        StoreFact("looks are looked up for many names, and those of erased users are free") { fixture in
            let store = fixture.store
            let ann = User(id: UserID(trusted: "1"), name: "tom")
            try await store.createUser(ann, passwordHash: nil, origin: .signUp)
            let looks = ["Tom", "tоrn", "torn", "tоm", "Tim"].map(NameLook.ofContract)
            #expect(try await store.takenNames(looks) == Set([looks[0], looks[1], looks[3]]))
            #expect(try await store.takenNames([]).isEmpty)
            _ = try await store.eraseUser(ann.id, at: 1)
            #expect(try await store.takenNames(looks).isEmpty)
            try await store.createUser(
                User(id: UserID(trusted: "2"), name: "tоm"), passwordHash: nil, origin: .signUp)
        },
        StoreFact("of concurrent sign-ups under names that look alike, one succeeds") { fixture in
            let stores = [fixture.store, try await fixture.database.open()]
            for round in 0..<5 {
                let names = ["tom", "TOM", "tоm", "TОM", "tоrn", "Tоm", "toM", "tоRN"].map { "\($0)\(round)" }
                let count = await withTaskGroup(of: Bool.self) { group in
                    for (number, name) in names.enumerated() {
                        group.addTask {
                            let user = User(id: UserID(trusted: "u\(round)-\(number)"), name: name)
                            do throws(StoreError) {
                                try await stores[number % 2].createUser(user, passwordHash: nil, origin: .signUp)
                                return true
                            } catch {
                                #expect(error == .taken)
                                return false
                            }
                        }
                    }
                    return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(count == 1)
            }
        },
    ]
}
