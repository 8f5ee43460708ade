import ParleyTestSupport

extension RightsTable {
    /// nobody, non-member, read_only, member, moderator, owner, operator, API key, revoked, erased. Without a user there
    /// is no socket, so its columns hold the answer to the handshake.
    static let commands: [RightsRow] = [
        .command("message", ["message": ["id": "{thread}", "text": "said"]], "U NFyyy N U UU"),
        .command(
            "edit", note: "one's own", ["edit": ["id": "{thread}", "message_id": "{own}", "text": "said better"]],
            "U NFyyy N U UU"),
        .command(
            "edit", note: "another's", ["edit": ["id": "{thread}", "message_id": "{message}", "text": "said better"]],
            "U NFFFF N U UU"),
        .command(
            "delete", note: "one's own", ["delete": ["id": "{thread}", "message_id": "{own}"]], "U NFyyy N U UU"),
        .command(
            "delete", note: "another's", ["delete": ["id": "{thread}", "message_id": "{message}"]], "U NFFyy N U UU"),
        .command(
            "react", ["react": ["id": "{thread}", "message_id": "{message}", "emoji": "x", "on": true]],
            "U NFyyy N U UU"),
        .command("read", ["read": ["id": "{thread}", "seq": 1]], "U Nyyyy N U UU"),
        .command("typing", ["typing": ["id": "{thread}", "on": true]], "U NFyyy N U UU"),
        .command(
            "resume", ["resume": ["threads": ["{thread}": ["epoch": "", "seq": 0]]]], "U Dyyyy D U UU"),
        .command("history", ["history": ["id": "{thread}"]], "U Nyyyy N U UU"),
        .command("join", ["join": ["title": "{title}"]], "U yyyyy y U UU"),
        .command(
            "join", note: "the thread's title", ["join": ["title": "{room}"]], "U yyyyy y U UU", removed: .forbidden),
        .command("leave", ["leave": ["id": "{thread}"]], "U yyyyy y U UU"),
        .command("watch", ["watch": ["users": ["{author}"]]], "U yyyyy y U UU"),
        .command(
            "auth", note: "another's token", ["auth": ["token": "{token of the author}"]], "U UUUUU U U UU"),
        .command("ping", ["ping": 7], "U yyyyy y U UU"),
    ]
}
