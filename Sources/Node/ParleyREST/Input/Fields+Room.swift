import ParleyJSON
import ParleyModel

extension Fields {
    /// Returns the details of a room in the request.
    func roomUpdate() throws(APIError) -> RoomUpdate {
        RoomUpdate(
            topic: try removable("topic"), description: try removable("description"), rules: try removable("rules"),
            isArchived: try flag("archived"),
            slowSeconds: try number("slow_mode_seconds", upTo: RoomOptions.longestSlowMode), rights: try rights(),
            picture: try picture())
    }

    private func picture() throws(APIError) -> SettingChange<AttachmentID> {
        guard let text = try removable("picture") else { return .keep }
        if text.isEmpty { return .remove }
        guard let picture = AttachmentID(text) else {
            throw .badRequest("picture must be the ID of an attachment, or null for none")
        }
        return .set(picture)
    }

    /// Returns a text, the empty text for `null`, or `nil` if the field is absent.
    private func removable(_ name: String) throws(APIError) -> String? {
        guard has(name) else { return nil }
        return try textIfPresent(name) ?? ""
    }

    private func flag(_ name: String) throws(APIError) -> Bool? {
        switch try tree(name) {
        case nil: return nil
        case .bool(let flag)?: return flag
        default: throw .badRequest("\(name) must be true or false")
        }
    }

    private func rights() throws(APIError) -> [RoomRight: RoomRight.Holder] {
        guard let tree = try tree("rights") else { return [:] }
        guard case .members(let members) = tree else { throw .badRequest("rights must be an object") }
        var rights: [RoomRight: RoomRight.Holder] = [:]
        for member in members {
            guard let right = RoomRight(rawValue: member.key) else {
                throw .badRequest("rights has an unknown right; allowed are write, attach, mention and add")
            }
            guard let holder = member.value.text.flatMap({ RoomRight.Holder(rawValue: $0) }) else {
                throw .badRequest("\(member.key) is unknown; allowed are everyone and moderators")
            }
            rights[right] = holder
        }
        return rights
    }
}
