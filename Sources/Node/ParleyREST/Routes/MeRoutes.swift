import HTTPTypes
import Hummingbird
import ParleyAccounts
import ParleyJSON
import ParleyMessaging
import ParleyModel

/// The caller's own account: identity, profile, export and erasure.
func meRoutes(_ services: RESTServices) -> [Route] {
    [
        Route(.get, path: "/v1/me", for: .user, budget: .lists) { _, context in
            let user = context.user
            return .json(JSONTree(user, try await services.messaging.profile(of: user)))
        },
        Route(.patch, path: "/v1/me", for: .user) { request, context in
            let profile = try await services.updateAccount(
                context.caller, request.bodyFields(), device: services.deviceToken(in: request),
                address: context.client.text)
            return .json(JSONTree(context.user, profile))
        },
        Route(.delete, path: "/v1/me", for: .user) { request, context in
            try await services.messaging.erase(Caller(context.caller))
            var headers = services.clearedCookie(request, overTLS: context.client.isSecure)
            // The device cookie identifies the user.
            let device = services.settings.cookie.ofDevice
            if services.deviceToken(in: request) != nil {
                headers.append(
                    HTTPField(name: .setCookie, value: device.clearing(overTLS: context.client.isSecure)))
            }
            return .nothing(headers: headers)
        },
        Route(.get, path: "/v1/me/export", for: .user, budget: .searches) { _, context in
            let export = UserExport(
                messaging: services.messaging, caller: Caller(context.caller),
                profile: try await services.messaging.profile(of: context.user))
            // The export counts as in progress until its last line is written.
            let uses = context.uses.take()
            return Response(
                status: .ok,
                headers: [
                    .contentType: "application/x-ndjson",
                    .contentDisposition: "attachment; filename=\"parley-export.ndjson\"",
                ],
                body: ResponseBody { writer in
                    defer { for use in uses { use.end() } }
                    try await export.write(to: &writer)
                })
        },
    ]
}

extension RESTServices {
    /// Changes the given fields: `display_name` and `avatar_url`, which `null` or an empty text clears, and `password`, which
    /// requires `old_password`.
    fileprivate func updateAccount(
        _ identity: Identity, _ fields: Fields, device: String?, address: String
    ) async throws -> Profile {
        func text(_ name: String) throws -> String? {
            try fields.textIfPresent(name).flatMap { $0.isEmpty ? nil : $0 }
        }
        let (displayName, avatarURL) = (try text("display_name"), try text("avatar_url"))
        if let avatar = Profile(avatarURL: avatarURL).avatar {
            let attachment = try await messaging.ownFile(avatar, of: Caller(identity)).attachment
            guard attachment.isPicture else {
                throw APIError.badRequest("avatar_url is not a complete image of a type that browsers show")
            }
        }
        let (password, old) = (try fields.textIfPresent("password"), try fields.textIfPresent("old_password"))
        return try await messaging.updateAccount(
            of: Caller(identity), password: password,
            confirm: { () throws(AccountError) in
                try await auth.login.confirm(identity, oldPassword: old, address: address, device: device)
            },
            profile: { profile in
                if fields.has("display_name") { profile.displayName = displayName }
                if fields.has("avatar_url") { profile.avatarURL = avatarURL }
            })
    }
}
