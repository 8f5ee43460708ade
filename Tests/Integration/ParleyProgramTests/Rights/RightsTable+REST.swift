import ParleyTestSupport

extension RightsTable {
    private static let noWebhook = "/v1/admin/webhooks/wh_00000000000000000000"

    /// nobody, non-member, read_only, member, moderator, owner, operator, API key, revoked, erased.
    static let rest: [RightsRow] = [
        .rest("GET /messaging/load-inbox", "U yyyyy y F UU"),
        .rest("GET /messaging/load-messages", path: "/messaging/load-messages?id={thread}", "U Nyyyy N y UU"),
        .form("/messaging/add-chatroom", ["title": "{title}"], "U yyyyy y F UU"),
        .form(
            "/messaging/add-chatroom", note: "the thread's title", ["title": "{room}"], "U yyyyy y F UU",
            removed: .forbidden),

        .rest("GET /v1/me", "U yyyyy y F UU"),
        .rest("PATCH /v1/me", body: ["display_name": "A name"], "U yyyyy y F UU"),
        .rest(
            "PATCH /v1/me", note: "a new password; the operator has logged in, the others have a JWT",
            body: ["password": "battery staple", "old_password": "correct horse"], "U FFFFF y F UU"),
        .rest("DELETE /v1/me", "U yyyyy y F UU"),
        .rest("GET /v1/me/export", "U yyyyy y F UU"),
        .rest("GET /v1/me/sessions", "U yyyyy y F UU"),
        .rest("DELETE /v1/me/sessions", "U yyyyy y F UU"),
        .rest("GET /v1/me/blocks", "U yyyyy y F UU"),
        .rest("PUT /v1/me/blocks/{user}", path: "/v1/me/blocks/{newcomer}", body: [:], "U yyyyy y F UU"),
        .rest("DELETE /v1/me/blocks/{user}", path: "/v1/me/blocks/{newcomer}", "U yyyyy y F UU"),
        .rest("GET /v1/push", "U yyyyy y F UU"),
        .rest("GET /v1/me/devices", "U yyyyy y F UU"),
        .rest("POST /v1/me/devices", body: ["kind": "fcm", "token": "{actor}"], "U yyyyy y F UU"),
        .rest(
            "DELETE /v1/me/devices/{id}", note: "without the device", path: "/v1/me/devices/unknown",
            "U MMMMM M F UU"),
        .rest("GET /v1/me/notifications", "U yyyyy y F UU"),
        .rest("PATCH /v1/me/notifications", body: ["default": ["room": "all"]], "U yyyyy y F UU"),
        .rest("GET /v1/users", "U yyyyy y y UU"),
        .rest("GET /v1/users/{id}", path: "/v1/users/{author}", "U yyyyy y y UU"),
        .rest("POST /v1/tickets", "U yyyyy y F UU"),
        .rest("GET /v1/search", path: "/v1/search?q=word", "U yyyyy y F UU"),
        .rest("GET /v1/search", note: "in the thread", path: "/v1/search?q=word&thread={thread}", "U Nyyyy N F UU"),

        .rest("GET /v1/threads", "U yyyyy y F UU"),
        .rest("POST /v1/threads", body: ["title": "{title}"], "U yyyyy y F UU"),
        .rest(
            "POST /v1/threads", note: "the thread's title", body: ["title": "{room}"], "U yyyyy y F UU",
            removed: .forbidden),
        .rest("POST /v1/direct", body: ["user": "{newcomer}"], "U yyyyy y F UU"),
        .rest("POST /v1/direct", note: "with the author", body: ["user": "{author}"], "U yyyyy y F UU")
            .but([.blocked: .forbidden]),
        .rest("GET /v1/threads/joinable", "U yyyyy y F UU"),
        .rest("GET /v1/threads/{id}", path: "/v1/threads/{thread}", "U Nyyyy N y UU"),
        .rest("PATCH /v1/threads/{id}", path: "/v1/threads/{thread}", body: ["title": "{title}"], "U NFFFy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "the visibility", path: "/v1/threads/{thread}",
            body: ["visibility": "unlisted"], "U NFFFy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "the history", path: "/v1/threads/{thread}",
            body: ["history": "since_joining"], "U NFFFy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "the topic", path: "/v1/threads/{thread}", body: ["topic": "Planting"],
            "U NFFyy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "the picture", path: "/v1/threads/{thread}", body: ["picture": ""],
            "U NFFyy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "the rights", path: "/v1/threads/{thread}",
            body: ["rights": ["attach": "everyone"]], "U NFFFy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}", note: "whether it is archived", path: "/v1/threads/{thread}",
            body: ["archived": false], "U NFFFy N F UU"),
        .rest("DELETE /v1/threads/{id}", path: "/v1/threads/{thread}", "U NFFFy N F UU"),
        .rest("GET /v1/threads/{id}/members", path: "/v1/threads/{thread}/members", "U Nyyyy N y UU"),
        .rest(
            "POST /v1/threads/{id}/members", note: "oneself", path: "/v1/threads/{thread}/members",
            body: ["user": "{actor}"], "U yyyyy y F UU", removed: .forbidden),
        .rest(
            "POST /v1/threads/{id}/members", note: "a newcomer", path: "/v1/threads/{thread}/members",
            body: ["user": "{newcomer}"], "U NFFyy N F UU"),
        .rest(
            "POST /v1/threads/{id}/members", note: "a newcomer as moderator", path: "/v1/threads/{thread}/members",
            body: ["user": "{newcomer}", "role": "moderator"], "U NFFFy N F UU"),
        .rest(
            "POST /v1/threads/{id}/members", note: "read_only for a member", path: "/v1/threads/{thread}/members",
            body: ["user": "{author}", "role": "read_only"], "U NFFyy N F UU"),
        .rest(
            "POST /v1/threads/{id}/members", note: "another role for an owner", path: "/v1/threads/{thread}/members",
            body: ["user": "{boss}", "role": "member"], "U NFFFy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/members/{user}", note: "oneself", path: "/v1/threads/{thread}/members/{actor}",
            "U Nyyyy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/members/{user}", note: "a member", path: "/v1/threads/{thread}/members/{author}",
            "U NFFyy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/members/{user}", note: "an owner", path: "/v1/threads/{thread}/members/{boss}",
            "U NFFFy N F UU"),
        .rest("GET /v1/threads/{id}/audit", path: "/v1/threads/{thread}/audit", "U NFFyy N F UU"),
        .rest("GET /v1/threads/{id}/sanctions", path: "/v1/threads/{thread}/sanctions", "U NFFyy N F UU"),
        .rest(
            "PUT /v1/threads/{id}/sanctions/{user}/{kind}", note: "of a member",
            path: "/v1/threads/{thread}/sanctions/{author}/mute", body: ["reason": "spam"], "U NFFyy N F UU"),
        .rest(
            "PUT /v1/threads/{id}/sanctions/{user}/{kind}", note: "a ban of a newcomer",
            path: "/v1/threads/{thread}/sanctions/{newcomer}/ban", body: ["seconds": "60"], "U NFFyy N F UU"),
        .rest(
            "PUT /v1/threads/{id}/sanctions/{user}/{kind}", note: "of an owner",
            path: "/v1/threads/{thread}/sanctions/{boss}/mute", body: [:], "U NFFFy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/sanctions/{user}/{kind}", note: "of a member, none in force",
            path: "/v1/threads/{thread}/sanctions/{author}/mute", "U NFFMM N F UU"),
        .rest("GET /v1/threads/{id}/links", path: "/v1/threads/{thread}/links", "U NFFyy N F UU"),
        .rest("POST /v1/threads/{id}/links", path: "/v1/threads/{thread}/links", body: [:], "U NFFyy N F UU"),
        .rest("DELETE /v1/threads/{id}/links/{link}", path: "/v1/threads/{thread}/links/{link}", "U NFFyy N F UU"),
        .rest("GET /v1/links/{code}", path: "/v1/links/{code}", "U yyyyy y F UU"),
        .rest("POST /v1/links/{code}", path: "/v1/links/{code}", "U yyyyy y F UU", removed: .forbidden),
        .rest(
            "POST /v1/threads", note: "a group", body: ["kind": "group", "members": ["{newcomer}"]],
            "U yyyyy y F UU"),
        .rest(
            "POST /v1/threads", note: "a group with the author", body: ["kind": "group", "members": ["{author}"]],
            "U yyyyy y F UU"
        ).but([.blocked: .forbidden]),
        .rest("GET /v1/threads/{id}/invitations", path: "/v1/threads/{thread}/invitations", "U NFFyy N F UU"),
        .rest(
            "PUT /v1/threads/{id}/invitations/{user}", path: "/v1/threads/{thread}/invitations/{newcomer}",
            body: [:], "U NFFyy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/invitations/{user}", note: "without an invitation",
            path: "/v1/threads/{thread}/invitations/{newcomer}", "U NFFMM N F UU"),
        .rest("GET /v1/me/invitations", "U yyyyy y F UU"),
        .rest(
            "POST /v1/me/invitations/{id}/accept", note: "of the thread", path: "/v1/me/invitations/{thread}/accept",
            "U Myyyy M F UU"
        ).but([.invited: .yes]),
        .rest(
            "POST /v1/me/invitations/{id}/accept", note: "without an invitation",
            path: "/v1/me/invitations/unknown/accept", "U MMMMM M F UU"),
        .rest(
            "DELETE /v1/me/invitations/{id}", note: "without an invitation", path: "/v1/me/invitations/unknown",
            "U MMMMM M F UU"),
        .rest(
            "POST /v1/threads/{id}/requests", note: "a thread that does not exist",
            path: "/v1/threads/unknown/requests", body: [:], "U yyyyy y F UU"),
        .rest("GET /v1/threads/{id}/requests", path: "/v1/threads/{thread}/requests", "U NFFyy N F UU"),
        .rest(
            "POST /v1/threads/{id}/requests/{user}/accept", note: "without a request",
            path: "/v1/threads/{thread}/requests/{newcomer}/accept", "U NFFMM N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/requests/{user}", note: "without a request",
            path: "/v1/threads/{thread}/requests/{newcomer}", "U NFFMM N F UU"),
        .rest("GET /v1/me/requests", "U yyyyy y F UU"),
        .rest(
            "DELETE /v1/me/requests/{id}", note: "without a request", path: "/v1/me/requests/unknown",
            "U MMMMM M F UU"),
        .rest(
            "POST /v1/threads/{id}/owner", path: "/v1/threads/{thread}/owner", body: ["user": "{author}"],
            "U NFFFy N F UU"),
        .rest(
            "GET /v1/threads/{id}/notifications", path: "/v1/threads/{thread}/notifications", "U Nyyyy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}/notifications", path: "/v1/threads/{thread}/notifications",
            body: ["level": "all"], "U Nyyyy N F UU"),
        .rest("GET /v1/threads/{id}/messages", path: "/v1/threads/{thread}/messages", "U Nyyyy N y UU"),
        .rest("GET /v1/threads/{id}/events", path: "/v1/threads/{thread}/events", "U Nyyyy N y UU"),
        .rest(
            "POST /v1/threads/{id}/messages", path: "/v1/threads/{thread}/messages", body: ["text": "said"],
            "U NFyyy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}/messages/{mid}", note: "one's own", path: "/v1/threads/{thread}/messages/{own}",
            body: ["text": "said better"], "U NFyyy N F UU"),
        .rest(
            "PATCH /v1/threads/{id}/messages/{mid}", note: "another's", path: "/v1/threads/{thread}/messages/{message}",
            body: ["text": "said better"], "U NFFFF N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/messages/{mid}", note: "one's own", path: "/v1/threads/{thread}/messages/{own}",
            "U NFyyy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/messages/{mid}", note: "another's",
            path: "/v1/threads/{thread}/messages/{message}",
            "U NFFyy N F UU"),
        .rest(
            "PUT /v1/threads/{id}/messages/{mid}/reactions/{emoji}",
            path: "/v1/threads/{thread}/messages/{message}/reactions/x", "U NFyyy N F UU"),
        .rest(
            "DELETE /v1/threads/{id}/messages/{mid}/reactions/{emoji}",
            path: "/v1/threads/{thread}/messages/{message}/reactions/x", "U NFyyy N F UU"),
        .rest("PUT /v1/threads/{id}/read", path: "/v1/threads/{thread}/read", body: [:], "U Nyyyy N F UU"),

        .rest("GET /v1/attachments", "U yyyyy y F UU"),
        .rest("POST /v1/attachments", body: ["name": "a", "size": 1], "U yyyyy y F UU"),
        .rest(
            "GET /v1/attachments/{id}", note: "of a message in the thread", path: "/v1/attachments/{attachment}",
            "U Myyyy M y UU"),
        .rest(
            "PATCH /v1/attachments/{id}", note: "another's", path: "/v1/attachments/{attachment}", "U MMMMM M F UU"),
        .rest(
            "DELETE /v1/attachments/{id}", note: "another's", path: "/v1/attachments/{attachment}", "U MMMMM M F UU"),

        .rest("POST /v1/admin/import", "U FFFFF F y UU"),
        .rest("GET /v1/admin/nodes", "U FFFFF y y UU"),
        .rest("GET /v1/admin/overview", "U FFFFF y y UU"),
        .rest("GET /v1/admin/threads/top", "U FFFFF y y UU"),
        .rest("GET /v1/admin/search", path: "/v1/admin/search?q=u", "U FFFFF y y UU"),
        .rest("GET /v1/admin/users/{user}", path: "/v1/admin/users/{author}", "U FFFFF y y UU"),
        .rest("GET /v1/admin/threads/{id}", path: "/v1/admin/threads/{thread}", "U FFFFF y y UU"),
        .rest(
            "PATCH /v1/admin/threads/{id}", path: "/v1/admin/threads/{thread}", body: ["visibility": "private"],
            "U FFFFF y y UU"),
        .rest(
            "PATCH /v1/admin/threads/{id}", note: "the history", path: "/v1/admin/threads/{thread}",
            body: ["history": "since_joining"], "U FFFFF y y UU"),
        .rest(
            "PATCH /v1/admin/threads/{id}", note: "the topic", path: "/v1/admin/threads/{thread}",
            body: ["topic": "Planting"], "U FFFFF y y UU"),
        .rest("POST /v1/admin/users", body: ["username": "{newcomer}-b"], "U FFFFF y y UU"),
        .rest("GET /v1/admin/users/{user}/sessions", path: "/v1/admin/users/{author}/sessions", "U FFFFF y y UU"),
        .rest("DELETE /v1/admin/users/{user}/sessions", path: "/v1/admin/users/{author}/sessions", "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/users/{user}/sessions/{session}", note: "one that does not exist",
            path: "/v1/admin/users/{author}/sessions/none", "U FFFFF M M UU"),
        .rest(
            "POST /v1/admin/users/{user}/revoke-sessions", path: "/v1/admin/users/{author}/revoke-sessions",
            "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/users/{user}/password", path: "/v1/admin/users/{author}/password",
            body: ["password": "battery staple"], "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/users/{user}/suspension", path: "/v1/admin/users/{author}/suspension",
            body: ["reason": "spam"], "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/users/{user}/suspension", note: "of oneself", path: "/v1/admin/users/{actor}/suspension",
            body: [:], "U FFFFF F y UU"),
        .rest(
            "DELETE /v1/admin/users/{user}/suspension", note: "none in force",
            path: "/v1/admin/users/{author}/suspension", "U FFFFF M M UU"),
        .rest("GET /v1/admin/suspensions", "U FFFFF y y UU"),
        .rest("GET /v1/admin/audit", "U FFFFF y y UU"),
        .rest("POST /v1/admin/threads", body: ["title": "{title}"], "U FFFFF y y UU"),
        .rest(
            "POST /v1/admin/threads/{id}/members", path: "/v1/admin/threads/{thread}/members",
            body: ["user": "{newcomer}", "role": "owner"], "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/threads/{id}/members/{user}", path: "/v1/admin/threads/{thread}/members/{author}",
            "U FFFFF y y UU"),
        .rest("GET /v1/admin/threads/{id}/sanctions", path: "/v1/admin/threads/{thread}/sanctions", "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/threads/{id}/sanctions/{user}/{kind}",
            path: "/v1/admin/threads/{thread}/sanctions/{boss}/mute", body: ["seconds": "60"], "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/threads/{id}/sanctions/{user}/{kind}", note: "none in force",
            path: "/v1/admin/threads/{thread}/sanctions/{author}/mute", "U FFFFF M M UU"),
        .rest("GET /v1/admin/history", "U FFFFF y y UU"),
        .rest("GET /v1/admin/threads/{id}/links", path: "/v1/admin/threads/{thread}/links", "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/threads/{id}/links/{link}", note: "none in force",
            path: "/v1/admin/threads/{thread}/links/none", "U FFFFF M M UU"),
        .rest(
            "DELETE /v1/admin/threads/{id}/messages/{mid}", path: "/v1/admin/threads/{thread}/messages/{message}",
            "U FFFFF y y UU"),
        .rest("DELETE /v1/admin/threads/{id}", path: "/v1/admin/threads/{thread}", "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/users/{user}/operator", path: "/v1/admin/users/{author}/operator", "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/users/{user}/operator", path: "/v1/admin/users/{author}/operator", "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/users/{user}/operator", note: "of oneself", path: "/v1/admin/users/{actor}/operator",
            "U FFFFF F y UU"),
        .rest("DELETE /v1/admin/users/{user}", path: "/v1/admin/users/{author}", "U FFFFF y y UU"),
        .rest(
            "DELETE /v1/admin/users/{user}", note: "of oneself", path: "/v1/admin/users/{actor}", "U FFFFF F y UU"),
        // No node has this name, which only actors with the right learn.
        .rest("POST /v1/admin/nodes/{node}/drain", path: "/v1/admin/nodes/none/drain", "U FFFFF M M UU"),
        // Only by API key, since the events have texts.
        .rest("GET /v1/admin/events", "U FFFFF F y UU"),
        .rest("GET /v1/admin/event-groups", "U FFFFF y y UU"),
        .rest(
            "PUT /v1/admin/event-groups/{group}", note: "a group that does not exist",
            path: "/v1/admin/event-groups/none", body: ["cursor": "start"], "U FFFFF M M UU"),
        .rest(
            "DELETE /v1/admin/event-groups/{group}", note: "a group that does not exist",
            path: "/v1/admin/event-groups/none", "U FFFFF M M UU"),
        .rest("GET /v1/admin/webhooks", "U FFFFF F y UU"),
        .rest("POST /v1/admin/webhooks", body: ["url": "https://shop.example/", "enabled": false], "U FFFFF F y UU"),
        .rest("GET /v1/admin/webhooks/{webhook}", path: noWebhook, "U FFFFF F M UU"),
        .rest("PATCH /v1/admin/webhooks/{webhook}", path: noWebhook, body: ["batch": 2], "U FFFFF F M UU"),
        .rest("DELETE /v1/admin/webhooks/{webhook}", path: noWebhook, "U FFFFF F M UU"),
        .rest("POST /v1/admin/webhooks/{webhook}/secrets", path: "\(noWebhook)/secrets", body: [:], "U FFFFF F M UU"),
        .rest("DELETE /v1/admin/webhooks/{webhook}/secrets", path: "\(noWebhook)/secrets", "U FFFFF F M UU"),
        .rest("GET /v1/admin/webhooks/{webhook}/dead-letters", path: "\(noWebhook)/dead-letters", "U FFFFF F M UU"),
        .rest(
            "POST /v1/admin/webhooks/{webhook}/dead-letters/replay", path: "\(noWebhook)/dead-letters/replay",
            body: [:],
            "U FFFFF F M UU"),
        .rest(
            "DELETE /v1/admin/webhooks/{webhook}/dead-letters/{letter}", path: "\(noWebhook)/dead-letters/1",
            "U FFFFF F M UU"),
        // Only by API key; the reply is that there is no trace.
        .rest("GET /v1/admin/messages/{id}/trace", path: "/v1/admin/messages/{message}/trace", "U FFFFF F M UU"),
    ]
}
