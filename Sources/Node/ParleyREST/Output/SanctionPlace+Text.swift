import ParleyModel

/// The cursor of a list of sanctions: the kind, a dot, and the user's id.
extension SanctionPlace {
    var text: String { "\(kind.rawValue).\(user.text)" }

    /// Reads a cursor; `nil` for any other text.
    init?(_ text: String) {
        let fields = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        guard fields.count == 2, let kind = Sanction.Kind(rawValue: String(fields[0])),
            let user = UserID(String(fields[1]))
        else { return nil }
        self.init(user: user, kind: kind)
    }
}
