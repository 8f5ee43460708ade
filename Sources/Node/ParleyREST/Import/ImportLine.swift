import ParleyAccounts
import ParleyMessaging
import ParleyModel

/// A parsed line of an import.
struct ImportLine: Sendable {
    let number: Int
    let item: ImportItem

    /// Parses `{"user":{…}}`, `{"thread":{…}}` or `{"member":{…}}`. Unknown fields are ignored.
    /// - Parameters:
    ///   - visibility: The visibility of a room whose line has none.
    ///   - reference: Parses a text as a reference to a user.
    init(
        number: Int, bytes: [UInt8], visibility: RoomVisibility, reference: (String) -> UserReference
    ) throws(APIError) {
        let object = try JSONObject(bytes)
        let (user, thread, member) = (
            try object.object("user"), try object.object("thread"), try object.object("member")
        )
        self.number = number
        switch (user, thread, member) {
        case (let user?, nil, nil):
            item = ImportItem(record: try Self.user(user), password: try user.text("password"))
            if let password = item.password {
                if password.utf8.contains(0) { throw .badRequest("password contains a NUL character") }
                if let violation = PasswordRules.violation(in: password) { throw .badRequest(violation) }
            }
        case (nil, let thread?, nil): item = ImportItem(record: try Self.thread(thread, visibility))
        case (nil, nil, let member?): item = ImportItem(record: try Self.member(member, reference))
        default: throw .badRequest("a line must have one of user, thread and member, which is an object")
        }
    }

    private static func user(_ user: JSONObject) throws(APIError) -> ImportRecord {
        let id: UserID = try self.id("id", of: user)
        guard let name = try user.text("username") else { throw .badRequest("username is missing") }
        guard let name = UsernameRules.normalized(name) else { throw .badRequest(UsernameRules.explanation) }
        let hash = try user.text("password_hash")
        if let hash, StoredPassword(hash) == nil {
            throw .badRequest("password_hash is not supported; allowed are Django's pbkdf2 and scrypt")
        }
        return .user(User(id: id, name: name), passwordHash: hash)
    }

    private static func thread(
        _ thread: JSONObject, _ standard: RoomVisibility
    ) throws(APIError) -> ImportRecord {
        let id: ThreadID = try self.id("id", of: thread)
        if let violation = ThreadInfo.violation(inRoomID: id) { throw .badRequest(violation) }
        let kind = try thread.text("kind") ?? ThreadInfo.Kind.room.rawValue
        guard kind == ThreadInfo.Kind.room.rawValue else {
            throw .badRequest("kind must be room; the first message creates a direct thread")
        }
        guard let title = try thread.text("title") else { throw .badRequest("title is missing") }
        var visibility = standard
        if let text = try thread.text("visibility") {
            guard let named = RoomVisibility(rawValue: text) else {
                throw .badRequest("visibility must be one of \(RoomVisibility.names)")
            }
            visibility = named
        }
        var history = RoomHistory.all
        if let text = try thread.text("history") {
            guard let named = RoomHistory(rawValue: text) else {
                throw .badRequest("history must be one of \(RoomHistory.names)")
            }
            history = named
        }
        do {
            return .room(id: id, title: try RoomTitle(title).text, visibility: visibility, history: history)
        } catch {
            throw .badRequest(error.explanation)
        }
    }

    private static func member(
        _ member: JSONObject, _ reference: (String) -> UserReference
    ) throws(APIError) -> ImportRecord {
        let thread: ThreadID = try id("thread", of: member)
        let user: UserReference
        switch try member.idValue("user") {
        case .number(let id)?: user = UserReference(id: id)
        case .text(let text)?: user = reference(text)
        case nil: throw .badRequest("user is missing")
        }
        // A name that no user can have is an error in the line.
        guard user.id != nil || user.name.flatMap(UsernameRules.normalized) != nil else {
            throw .badRequest("user is neither an id nor a name")
        }
        guard let roleText = try member.text("role") else { return .member(thread: thread, user: user, role: nil) }
        guard let role = Membership.Role(rawValue: roleText) else {
            throw .badRequest("role must be one of owner, moderator, member and read_only")
        }
        return .member(thread: thread, user: user, role: role)
    }

    private static func id<Kind>(_ name: String, of object: JSONObject) throws(APIError) -> Identifier<Kind> {
        guard let text = try object.idText(name) else { throw .badRequest("\(name) is missing") }
        guard let id = Identifier<Kind>(text) else {
            throw .badRequest(
                "\(name) is not a valid id; allowed are 1 to \(Identifier<Kind>.maximumLength) of A-Z a-z 0-9 . _ -"
            )
        }
        return id
    }
}
