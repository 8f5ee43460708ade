import ParleyJSON

/// The discovery document of a provider (OpenID Connect Discovery 1.0 §3, RFC 8414).
struct ProviderDocument: Hashable, Sendable {
    /// The way in which a client authenticates at the token endpoint (RFC 6749 §2.3.1).
    enum ClientAuthentication: Hashable, Sendable {
        case basic
        case post
        /// A public client sends its id only.
        case none
    }

    let authorization: ProviderAddress
    let token: ProviderAddress
    let keys: ProviderAddress
    let userInfo: ProviderAddress?
    let authentication: ClientAuthentication
    /// Whether its redirects name it (RFC 9207).
    let namesItself: Bool

    /// The address of the document.
    static func address(of issuer: ProviderAddress) -> ProviderAddress? {
        let base = issuer.text.hasSuffix("/") ? String(issuer.text.dropLast()) : issuer.text
        return ProviderAddress(base + "/.well-known/openid-configuration")
    }

    /// - Parameter hasSecret: whether the client has one.
    /// - Throws: `invalid`, with the member that is wrong.
    init(json: [UInt8], issuer: ProviderAddress, hasSecret: Bool) throws(ProviderError) {
        guard let object = JOSEObject(json) else { throw .invalid("the discovery document is not a JSON object") }
        // Otherwise a provider could speak for another one (Discovery §4.3).
        guard let named = object["issuer"]?.text, named.utf8.elementsEqual(issuer.text.utf8) else {
            let named = object["issuer"]?.text?.prefix(200) ?? ""
            throw .invalid("the discovery document is that of the issuer \"\(named)\", not of \(issuer.text)")
        }
        func address(_ name: String) throws(ProviderError) -> ProviderAddress? {
            guard let value = object[name] else { return nil }
            guard let found = value.text.flatMap({ ProviderAddress($0) }), issuer.isPlain || !found.isPlain else {
                throw .invalid("\(name) of the discovery document is not an HTTPS URL")
            }
            return found
        }
        func required(_ name: String) throws(ProviderError) -> ProviderAddress {
            guard let found = try address(name) else { throw .invalid("the discovery document has no \(name)") }
            return found
        }
        authorization = try required("authorization_endpoint")
        token = try required("token_endpoint")
        keys = try required("jwks_uri")
        userInfo = try address("userinfo_endpoint")
        namesItself = object["authorization_response_iss_parameter_supported"] == .bool(true)
        // A provider that lists methods without S256 would ignore the challenge, or refuse the request.
        if let methods = object["code_challenge_methods_supported"], methods.texts?.contains("S256") != true {
            throw .invalid("the provider does not support PKCE with S256")
        }
        authentication = try hasSecret ? Self.authentication(object) : .none
    }

    private static func authentication(_ object: JOSEObject) throws(ProviderError) -> ClientAuthentication {
        guard let value = object["token_endpoint_auth_methods_supported"] else { return .basic }
        let methods = value.texts ?? []
        if methods.contains("client_secret_basic") { return .basic }
        if methods.contains("client_secret_post") { return .post }
        throw .invalid("the provider supports neither client_secret_basic nor client_secret_post")
    }
}
