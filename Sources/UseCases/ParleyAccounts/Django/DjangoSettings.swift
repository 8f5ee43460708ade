/// The settings of a Django site that are needed to accept its sessions, with Django's own names in the comments.
package struct DjangoSettings: Sendable {
    /// `SECRET_KEY`.
    package var secretKey: Secret
    /// `SECRET_KEY_FALLBACKS`.
    package var fallbacks: [Secret] = []
    /// `SESSION_COOKIE_NAME`.
    package var cookie = "sessionid"
    /// `SESSION_COOKIE_AGE` in seconds: the lifetime of a session held in the cookie itself.
    package var cookieAge = 1_209_600
    /// `AUTHENTICATION_BACKENDS`: sessions created by another backend are rejected.
    package var backends: Set<String> = ["django.contrib.auth.backends.ModelBackend"]
    /// Maximum time until a socket is closed after its session has ended in Django.
    package var recheck: Duration = .seconds(10)

    package init(secretKey: Secret) {
        self.secretKey = secretKey
    }
}
