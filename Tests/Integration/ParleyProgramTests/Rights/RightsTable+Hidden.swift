import ParleyTestSupport

/// The calls and commands about a direct thread of two others, which does not exist for anybody else.
extension RightsTable {
    private static let note = "a direct thread of others"
    private static let path = "/v1/threads/{direct}"

    /// An API key without a user reads everything, and writes nothing.
    private static let (read, write) = ("U MMMMM M y UU", "U MMMMM M F UU")

    static let hiddenRest: [RightsRow] = [
        .rest("GET /messaging/load-messages", note: note, path: "/messaging/load-messages?id={direct}", read),
        .rest("GET /v1/search", note: note, path: "/v1/search?q=secret&thread={direct}", write),
        .rest("GET /v1/threads/{id}", note: note, path: path, read),
        .rest("PATCH /v1/threads/{id}", note: note, path: path, body: ["title": "{title}"], write),
        .rest("DELETE /v1/threads/{id}", note: note, path: path, write),
        .rest("GET /v1/threads/{id}/members", note: note, path: path + "/members", read),
        .rest(
            "POST /v1/threads/{id}/members", note: "oneself, " + note, path: path + "/members",
            body: ["user": "{actor}"], write),
        .rest(
            "POST /v1/threads/{id}/members", note: "a newcomer, " + note, path: path + "/members",
            body: ["user": "{newcomer}"], write),
        .rest(
            "DELETE /v1/threads/{id}/members/{user}", note: "oneself, " + note, path: path + "/members/{actor}", write),
        .rest(
            "DELETE /v1/threads/{id}/members/{user}", note: "a member, " + note, path: path + "/members/{author}",
            write),
        .rest("GET /v1/threads/{id}/audit", note: note, path: path + "/audit", write),
        .rest("GET /v1/threads/{id}/sanctions", note: note, path: path + "/sanctions", write),
        .rest(
            "PUT /v1/threads/{id}/sanctions/{user}/{kind}", note: note, path: path + "/sanctions/{author}/mute",
            body: [:], write),
        .rest(
            "DELETE /v1/threads/{id}/sanctions/{user}/{kind}", note: note, path: path + "/sanctions/{author}/mute",
            write),
        .rest("GET /v1/threads/{id}/links", note: note, path: path + "/links", write),
        .rest("POST /v1/threads/{id}/links", note: note, path: path + "/links", body: [:], write),
        .rest("DELETE /v1/threads/{id}/links/{link}", note: note, path: path + "/links/none", write),
        .rest("GET /v1/threads/{id}/notifications", note: note, path: path + "/notifications", write),
        .rest(
            "PATCH /v1/threads/{id}/notifications", note: note, path: path + "/notifications", body: ["level": "all"],
            write),
        .rest("GET /v1/threads/{id}/messages", note: note, path: path + "/messages", read),
        .rest("GET /v1/threads/{id}/events", note: note, path: path + "/events", read),
        .rest(
            "POST /v1/threads/{id}/messages", note: note, path: path + "/messages", body: ["text": "said"], write),
        .rest(
            "PATCH /v1/threads/{id}/messages/{mid}", note: note, path: path + "/messages/{secret}",
            body: ["text": "said better"], write),
        .rest("DELETE /v1/threads/{id}/messages/{mid}", note: note, path: path + "/messages/{secret}", write),
        .rest(
            "PUT /v1/threads/{id}/messages/{mid}/reactions/{emoji}", note: note,
            path: path + "/messages/{secret}/reactions/x", write),
        .rest(
            "DELETE /v1/threads/{id}/messages/{mid}/reactions/{emoji}", note: note,
            path: path + "/messages/{secret}/reactions/x", write),
        .rest("PUT /v1/threads/{id}/read", note: note, path: path + "/read", body: [:], write),
    ]

    static let hiddenCommands: [RightsRow] = {
        let (hidden, gone) = ("U MMMMM M U UU", "U GGGGG G U UU")
        return [
            .command("message", note: note, ["message": ["id": "{direct}", "text": "said"]], hidden),
            .command(
                "edit", note: note, ["edit": ["id": "{direct}", "message_id": "{secret}", "text": "said better"]],
                hidden),
            .command("delete", note: note, ["delete": ["id": "{direct}", "message_id": "{secret}"]], hidden),
            .command(
                "react", note: note,
                ["react": ["id": "{direct}", "message_id": "{secret}", "emoji": "x", "on": true]], hidden),
            .command("read", note: note, ["read": ["id": "{direct}", "seq": 1]], hidden),
            .command("typing", note: note, ["typing": ["id": "{direct}", "on": true]], hidden),
            .command(
                "resume", note: note, ["resume": ["threads": ["{direct}": ["epoch": "", "seq": 0]]]], gone),
            .command("history", note: note, ["history": ["id": "{direct}"]], hidden),
            .command("leave", note: note, ["leave": ["id": "{direct}"]], hidden),
        ]
    }()
}
