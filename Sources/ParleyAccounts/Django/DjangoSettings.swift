/// What Parley must know of a Django site to take its sessions; Django's names for these are in the comments.
package struct DjangoSettings: Sendable {
    /// `SECRET_KEY`.
    package var secretKey: Secret
    /// `SECRET_KEY_FALLBACKS`.
    package var fallbacks: [Secret] = []
    /// `SESSION_COOKIE_NAME`.
    package var cookie = "sessionid"
    /// `SESSION_COOKIE_AGE` in seconds: how long a session counts that is in the cookie itself.
    package var cookieAge = 1_209_600
    /// `AUTHENTICATION_BACKENDS`: a session made by another does not count.
    package var backends: Set<String> = ["django.contrib.auth.backends.ModelBackend"]
    /// In what time a socket is closed whose session has ended in Django.
    package var recheck: Duration = .seconds(10)

    package init(secretKey: Secret) {
        self.secretKey = secretKey
    }
}
