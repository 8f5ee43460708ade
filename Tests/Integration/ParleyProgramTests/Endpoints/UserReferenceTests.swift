import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// Who is meant by an id or a name, on every way in.
    @Suite struct UserReferenceTests {
        private static let key = "pk_0123456789abcdef0123456789abcdef"

        private func backEnd(_ parley: ParleyProcess, for user: String? = nil) -> HTTPClient {
            HTTPClient(
                port: parley.port,
                headers: [("Authorization", "Bearer \(Self.key)")] + (user.map { [("X-Parley-User", $0)] } ?? []))
        }

        @Test("nobody becomes by a name whom a back end means by an id that no user has yet")
        func namesAreNotIDs() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "django:\(Self.key)"])
            let (backEnd, alice) = (self.backEnd(parley), try await TestUser.signUp("alice", port: parley.port))
            let refused = try await HTTPClient(port: parley.port)
                .post("/auth/signup", form: ["username": "921894", "password": "correct horse"])
            #expect(refused.status == 400, "\(refused.text)")
            // A back end may have such names all the same.
            let made = try await backEnd.post("/v1/admin/users", json: ["username": "921894", "id": "frank"])
            #expect(made.status == 201, "\(made.text)")
            let room = try await alice.join("Tea")

            #expect(try await self.backEnd(parley, for: "921894").get("/v1/me").status == 401)
            #expect(try await self.backEnd(parley, for: "921894").send("POST", "/v1/tickets").status == 401)
            #expect(try await self.backEnd(parley, for: "name:921894").get("/v1/me").json()["id"] == "frank")
            #expect(try await self.backEnd(parley, for: "id:frank").get("/v1/me").json()["id"] == "frank")
            for path in ["/v1/threads/\(room)/members", "/v1/admin/threads/\(room)/members", "/v1/direct"] {
                let http = path.hasPrefix("/v1/admin") ? backEnd : alice.http
                for body in [
                    #"{"user":"921894"}"#, #"{"user":921894}"#, #"{"user":"id:921894"}"#, #"{"user":"name:frank"}"#,
                ] {
                    let reply = try await http.send(
                        "POST", path, headers: [("Content-Type", "application/json")], body: Array(body.utf8))
                    #expect(reply.status == 404, "\(path) \(body): \(reply.text)")
                }
                let reply = try await http.post(path, json: ["user": "name:921894"])
                #expect([200, 201].contains(reply.status), "\(path): \(reply.text)")
            }
            for user in ["921894", "id:921894", "id%3A921894"] {
                #expect(try await backEnd.get("/v1/admin/users/\(user)").status == 404)
                #expect(try await alice.http.send("DELETE", "/v1/threads/\(room)/members/\(user)").status == 404)
            }
            #expect(try await backEnd.get("/v1/admin/users/name:921894").json()["user"]?["id"] == "frank")
            let lines = [#""921894""#, "921894"].map { #"{"member":{"thread":"\#(room)","user":\#($0)}}"# }
                .joined(separator: "\n")
            let report = try await backEnd.send("POST", "/v1/admin/import", body: Array(lines.utf8)).json()
            #expect(report["errors"]?.array?.count == 2, "\(report)")

            // The id comes into being, and means its owner from then on.
            _ = try await backEnd.post("/v1/admin/users", json: ["username": "carol", "id": "921894"])
            #expect(try await self.backEnd(parley, for: "921894").get("/v1/me").json()["username"] == "carol")
            let added = try await alice.http.post("/v1/threads/\(room)/members", json: ["user": "921894"])
            #expect(try added.json()["user"]?["username"] == "carol", "\(added.text)")
        }

        @Test("a direct socket and a command mean the same by a value")
        func directAndCommand() async throws {
            let parley = try await ParleyProcess.start(environment: ["PARLEY_API_KEYS": "django:\(Self.key)"])
            let backEnd = self.backEnd(parley)
            _ = try await backEnd.post("/v1/admin/users", json: ["username": "921894", "id": "frank"])
            _ = try await backEnd.post("/v1/admin/users", json: ["username": "carol", "id": "emp-7"])
            _ = try await backEnd.post("/v1/admin/users", json: ["username": "emp-7", "id": "dave"])
            let alice = try await TestUser.signUp("alice", port: parley.port)
            let socket = try await StarscreamClient.start(alice)
            let other = try await StarscreamClient.start(alice)
            for unknown in ["921894", "id:921894", "name:nobody", "id:carol"] {
                try await socket.send("hi", to: unknown)
                let error = try await socket.socket.nextJSON()
                #expect(error["error"] == "unknown user")
                #expect(error["toUser"] == .string(unknown))
            }
            // An id precedes a name, also while there is a conversation with the user of the name.
            let meant = [
                ("name:921894", "921894"), ("name:emp-7", "emp-7"), ("emp-7", "carol"), ("id:dave", "emp-7"),
                ("carol", "carol"), ("carol", "carol"), ("emp-7", "carol"),
            ]
            for (given, name) in meant {
                try await socket.send("to \(given)", to: given)
                let message = try await other.socket.nextJSON()
                #expect(message["toUser"] == .string(name), "\(given)")
                #expect(message["message"] == .string("to \(given)"))
            }
            for (given, says) in [
                ("921894", "no user has the id 921894"), ("name:921894", "frank"), ("emp-7", "carol"),
            ] {
                let outcome = try await ParleyBinary.run(
                    ["admin", "grant-operator", given, "--database", "sqlite:\(parley.databasePath)"])
                #expect(outcome.output.contains(says), "\(outcome.output)")
            }
        }

        @Test("a site says which form its ids have")
        func form() async throws {
            let parley = try await ParleyProcess.start(
                environment: ["PARLEY_API_KEYS": "django:\(Self.key)", "PARLEY_USERS_ID_FORM": "uuid,emp-*"])
            let http = HTTPClient(port: parley.port)
            let refused = try await http.post("/auth/signup", form: ["username": "emp-7", "password": "correct horse"])
            #expect(refused.status == 400, "\(refused.text)")
            let number = try await TestUser.signUp("921894", port: parley.port)
            #expect(try await backEnd(parley, for: "921894").get("/v1/me").json()["id"] == .string(number.id))
            // A number in JSON is an id nevertheless.
            let reply = try await number.http.send(
                "POST", "/v1/direct", headers: [("Content-Type", "application/json")],
                body: Array(#"{"user":921894}"#.utf8))
            #expect(reply.status == 404)
        }
    }
}
