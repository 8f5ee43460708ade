import Foundation
import ParleyTestServers
import ParleyTestSupport
import Testing

extension ProgramTests {
    /// What `parley check` and the start report of settings from flags, environment and file.
    @Suite struct SettingsTests {
        /// The findings of `parley check` about settings.
        private func findings(
            _ arguments: [String] = [], environment: [String: String] = [:], kind: String = "FAIL"
        ) async throws -> [String] {
            var arguments = arguments
            if !arguments.contains("--port"), environment["PARLEY_PORT"] == nil {
                arguments += ["--port", "\(FreePort.next())"]
            }
            let outcome = try await ParleyBinary.run(["check"] + arguments, environment: environment)
            if case .killed = outcome.status { Issue.record("it crashed: \(outcome)") }
            #expect((outcome.status == .exited(0)) == !outcome.output.contains("FAIL "), "\(outcome.output)")
            let prefix = "\(kind)  settings: "
            return outcome.output.split(separator: "\n").filter { $0.hasPrefix(prefix) }
                .map { String($0.dropFirst(prefix.count)) }
        }

        @Test("all errors are reported together, each with its value")
        func together() async throws {
            let found = try await findings(
                ["--port", "70000"],
                environment: [
                    "PARLEY_LIMITS_TEXT_CHARS": "many", "PARLEY_AUTH_SIGNUP": "perhaps", "PARLEY_LOG_LEVEL": "loud",
                    "PARLEY_TRUSTED_PROXIES": "here", "PARLEY_ALLOWED_ORIGINS": "nowhere", "PARLEY_AUTH_ADMINS": "a b",
                    "PARLEY_JWT_OPERATOR_CLAIM": "=x", "PARLEY_JWT_JWKS_FILE": "/nonexistent/keys.json",
                ])
            #expect(
                found == [
                    "--port: invalid value \"70000\"; expected a whole number, 1 to 65535",
                    "PARLEY_LOG_LEVEL: invalid value \"loud\"; expected trace, debug, info, notice, warning, error, critical",
                    "PARLEY_LIMITS_TEXT_CHARS: invalid value \"many\"; expected a whole number, 1 to 100000",
                    "PARLEY_TRUSTED_PROXIES: \"here\" is not an address; expected comma-separated addresses and networks, e.g. "
                        + "127.0.0.1,10.0.0.0/8",
                    "PARLEY_AUTH_SIGNUP: invalid value \"perhaps\"; expected true or false",
                    "PARLEY_AUTH_ADMINS: invalid value \"a b\"; the username must have 1 to 150 characters; allowed are letters, digits and @ . + - _",
                    "PARLEY_ALLOWED_ORIGINS: \"nowhere\" is not an origin; expected comma-separated scheme://host or "
                        + "scheme://host:port, e.g. https://chat.example.org",
                    "PARLEY_JWT_OPERATOR_CLAIM: invalid value \"=x\"; expected the name of a claim, or name=value",
                    "PARLEY_JWT_JWKS_FILE: /nonexistent/keys.json cannot be read as UTF-8 text",
                ])
        }

        @Test("the web app's addresses, path, files and frames are checked")
        func webApp() async throws {
            let found = try await findings(environment: [
                "PARLEY_LOGIN_URL": "//elsewhere.example/login", "PARLEY_LOGOUT_URL": "javascript:alert(1)",
                "PARLEY_PROFILE_URL": "https://id.example/me", "PARLEY_WEB_PATH": "/chat/",
                "PARLEY_WEB_LOGO": "logo.gif",
                "PARLEY_WEB_THEME": "/nonexistent/theme.css", "PARLEY_WEB_FRAME_ANCESTORS": "self,*",
            ])
            #expect(
                found == [
                    "PARLEY_LOGIN_URL: invalid value \"//elsewhere.example/login\"; expected a path, e.g. /accounts/login/, or a URL",
                    "PARLEY_LOGOUT_URL: invalid value \"javascript:alert(1)\"; expected a path, e.g. /accounts/login/, or a URL",
                    "PARLEY_WEB_PATH: invalid value \"/chat/\"; expected /, or a path between slashes, e.g. /messenger/",
                    "PARLEY_WEB_LOGO: invalid value \"logo.gif\"; expected the path of an .svg or .png file, at most 256 KiB",
                    "PARLEY_WEB_THEME: /nonexistent/theme.css cannot be read",
                    "PARLEY_WEB_FRAME_ANCESTORS: invalid value \"self,*\"; expected comma-separated: self, and origins, "
                        + "e.g. https://intranet.example.org",
                ])
        }

        @Test(
            "a login at an OpenID provider is complete, and contradicts no other setting",
            arguments: [
                (["CLIENT_ID": "x"], ["PARLEY_OIDC_CLIENT_ID: needs PARLEY_OIDC_ISSUER, which is not set"]),
                (
                    ["ISSUER": "https://id.example"],
                    ["PARLEY_OIDC_ISSUER: needs PARLEY_OIDC_CLIENT_ID, which is not set"]
                ),
                (
                    ["ISSUER": "http://id.example", "CLIENT_ID": "x"],
                    [
                        "PARLEY_OIDC_ISSUER: invalid value \"http://id.example\"; expected an https:// URL without a query, "
                            + "or http:// on this machine"
                    ]
                ),
                (
                    ["ISSUER": "https://id.example", "CLIENT_ID": "x", "SCOPES": "profile"],
                    [
                        "PARLEY_OIDC_SCOPES: invalid value \"profile\"; expected scopes divided by one space, openid among them"
                    ]
                ),
                (["ISSUER": "http://localhost:9400", "CLIENT_ID": "x", "NAME": "Keymaster"], []),
            ])
        func provider(values: [String: String], errors: [String]) async throws {
            let environment = Dictionary(values.map { ("PARLEY_OIDC_\($0.key)", $0.value) }) { $1 }
            #expect(try await findings(environment: environment) == errors)
        }

        @Test("the web app has one login at least, and either that of a site or its own")
        func logins() async throws {
            #expect(
                try await findings(environment: ["PARLEY_WEB_PASSWORDS": "false"]) == [
                    "PARLEY_WEB_PASSWORDS: is false, but without PARLEY_OIDC_ISSUER there is no other login"
                ])
            #expect(
                try await findings(environment: [
                    "PARLEY_OIDC_ISSUER": "https://id.example", "PARLEY_OIDC_CLIENT_ID": "x",
                    "PARLEY_LOGIN_URL": "/login/",
                ]) == [
                    "PARLEY_OIDC_ISSUER: contradicts PARLEY_LOGIN_URL, with which the web app has no login; set one of them"
                ])
        }

        @Test("the start reports all errors too, a line for each")
        func start() async throws {
            let outcome = try await ParleyBinary.run(
                ["serve", "--port", "0", "--drain-seconds", "x"], within: .patience)
            #expect(outcome.status != .exited(0))
            #expect(
                outcome.output == """
                    Error: 2 settings are wrong:
                      --port: invalid value "0"; expected a whole number, 1 to 65535
                      --drain-seconds: invalid value "x"; expected a whole number, 0 to 3600

                    """)
        }

        @Test("a misspelt name is reported beside wrong values, by the start and by `check`")
        func unknownBesideWrong() async throws {
            let environment = ["PARLEY_PERSISTER_DELAY": "5", "PARLEY_PERSISTER_DELAY_MS": "-1"]
            for arguments in [["serve"], ["check"]] {
                let outcome = try await ParleyBinary.run(
                    arguments, environment: environment, within: .patience)
                #expect(outcome.status != .exited(0))
                for text in [
                    "PARLEY_PERSISTER_DELAY_MS: invalid value \"-1\"",
                    "unknown setting PARLEY_PERSISTER_DELAY; did you mean PARLEY_PERSISTER_DELAY_MS?",
                ] {
                    #expect(outcome.output.contains(text), "\(arguments): \(outcome.output)")
                }
            }
        }

        @Test("no value of a secret is shown, nor of a URL, which may contain one")
        func secrets() async throws {
            let found = try await findings(environment: [
                "PARLEY_SECRET": "tiny-xyzzy", "PARLEY_API_KEYS": "a:xyzzy", "PARLEY_DJANGO_SECRET_KEY": "   ",
                "PARLEY_JWT_HS256_KEY": "base64:xyzzy!", "PARLEY_DATABASE": "mysql://u:xyzzy@h/d",
                "PARLEY_REDIS": "redis://u:xyzzy@h:99999", "PARLEY_DJANGO_DATABASE": "xyzzy",
            ])
            #expect(found.count == 7, "\(found)")
            for name in [
                "PARLEY_SECRET", "PARLEY_API_KEYS", "PARLEY_DJANGO_SECRET_KEY", "PARLEY_JWT_HS256_KEY",
                "PARLEY_DATABASE",
                "PARLEY_REDIS", "PARLEY_DJANGO_DATABASE",
            ] {
                #expect(found.contains { $0.hasPrefix(name + ":") }, "\(name)")
            }
            #expect(!found.contains { $0.contains("xyzzy") }, "\(found)")
            #expect(found.contains { $0.hasPrefix("PARLEY_DATABASE: invalid value mysql://…; expected sqlite:PATH") })
            #expect(found.contains { $0.contains("PARLEY_SECRET: invalid value (secret, not shown); expected") })
        }

        @Test("an error names the flag, the variable or the file that the value comes from")
        func origins() async throws {
            let directory = try TemporaryDirectory()
            let file = directory.path + "/parley.json"
            try #"{"line_port": 70000, "ops": {"port": [1]}, "drain_seconds": "x", "node": "a b"}"#
                .write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try await findings(
                    ["--config", file, "--drain-seconds", "long"],
                    environment: ["PARLEY_DRAIN_SECONDS": "5", "PARLEY_NODE": "ü"]) == [
                        "line_port in \(file): invalid value \"70000\"; expected a whole number, 0 to 65535",
                        "ops.port in \(file): invalid value \"…\"; expected a whole number, 0 to 65535",
                        "PARLEY_NODE: invalid value \"ü\"; expected 1 to 64 characters of A-Z a-z 0-9 . _ -",
                        "--drain-seconds: invalid value \"long\"; expected a whole number, 0 to 3600",
                    ])
            #expect(try await findings(["--ops-port", "70000"]).first?.hasPrefix("--ops-port:") == true)
        }

        @Test("an address that cannot be used blames the flag if it was given, and else the variable")
        func address() async throws {
            let port = "\(FreePort.next())"
            let flag = try await ParleyBinary.run(["serve", "--port", port, "--bind", "not an address"])
            #expect(flag.output.contains("Error: --bind: not an address is "), "\(flag.output)")
            #expect(!flag.output.contains("PARLEY_BIND"))
            let variable = try await ParleyBinary.run(
                ["serve", "--port", port], environment: ["PARLEY_BIND": "not an address"])
            #expect(variable.output.contains("Error: PARLEY_BIND: not an address is "), "\(variable.output)")
        }

        @Test("a database in a directory that does not exist names the directory, once")
        func directory() async throws {
            let text = "the directory /nonexistent/folder of /nonexistent/folder/parley.db does not exist; "
            #expect(
                try await findings(["--database", "sqlite:/nonexistent/folder/parley.db"]) == [
                    "--database: \(text)create it, or choose another path"
                ])
            let directory = try TemporaryDirectory()
            let file = directory.path + "/file"
            try Data().write(to: URL(filePath: file))
            #expect(
                try await findings(environment: ["PARLEY_DATABASE": "sqlite:\(file)/parley.db"]) == [
                    "PARLEY_DATABASE: \(file) in \(file)/parley.db is not a directory; choose another path"
                ])
            #expect(try await findings(environment: ["PARLEY_DATABASE": "sqlite:\(directory.path)/parley.db"]) == [])
        }

        @Test("the roles of a cluster require Redis", arguments: ["gateway", "persister"])
        func redis(role: String) async throws {
            let outcome = try await ParleyBinary.run([role, "--port", "0"], within: .patience)
            #expect(outcome.status != .exited(0))
            #expect(
                outcome.output == """
                    Error: 2 settings are wrong:
                      --port: invalid value "0"; expected a whole number, 1 to 65535
                      PARLEY_REDIS: is required: Redis connects gateways and persisters; set it, or give --redis

                    """)
        }

        @Test("check refuses secrets that are still placeholders, and takes real ones")
        func placeholders() async throws {
            let real = try await findings(environment: [
                "PARLEY_SECRET": "9b6df1c21d0f0b6f6c4a3ab2e07c5dd8fb9b0a7cbf6f2f5b",
                "PARLEY_API_KEYS": "django:pk_9b6df1c21d0f", "PARLEY_JWT_HS256_KEY": "8c2e14b0d7",
                "PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS": "9b6df1c2,1d0f0b6f",
            ])
            #expect(real == [])
            let sample = try await findings(environment: [
                "PARLEY_SECRET": "32 random bytes or more, the same for all nodes",
                "PARLEY_API_KEYS": "a:pk_9b6df1c21d0f,django:pk_0123456789abcdef0123456789abcdef",
                "PARLEY_DATABASE": "postgres://parley:PASSWORD@127.0.0.1:1/parley",
                "PARLEY_REDIS": "redis://127.0.0.1:1,redis://default:change-me@127.0.0.1:1/1",
                "PARLEY_DJANGO_SECRET_KEY": "Django's SECRET_KEY", "PARLEY_JWT_HS256_KEY": "<key>",
                "PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS": "xxxxxxxxxxxx",
                // Only secrets have placeholders.
                "PARLEY_NODE": "example",
            ])
            let names = [
                "PARLEY_DATABASE", "PARLEY_REDIS", "PARLEY_CHANNELS_SYMMETRIC_ENCRYPTION_KEYS",
                "PARLEY_DJANGO_SECRET_KEY", "PARLEY_SECRET", "PARLEY_API_KEYS", "PARLEY_JWT_HS256_KEY",
            ]
            #expect(
                sample
                    == names.map {
                        "\($0): is still a placeholder; set a real value, e.g. one from openssl rand -hex 32"
                    })
        }

        @Test(
            "an unknown variable is reported with the setting that was probably meant",
            arguments: [
                ("PARLEY_PROT", "unknown setting PARLEY_PROT; did you mean PARLEY_PORT?"),
                (
                    "PARLEY_LIMIT_TEXT_CHARS",
                    "unknown setting PARLEY_LIMIT_TEXT_CHARS; did you mean PARLEY_LIMITS_TEXT_CHARS?"
                ),
                ("PARLEY_DATABSE", "unknown setting PARLEY_DATABSE; did you mean PARLEY_DATABASE?"),
                ("PARLEY_SOMETHING_ELSE", "unknown setting PARLEY_SOMETHING_ELSE"),
            ])
        func unknown(variable: String, text: String) async throws {
            #expect(try await findings(environment: [variable: "1", "OTHER": "1"], kind: "note") == [text])
        }

        @Test("all unknown names in the file are reported, each with the setting that was probably meant")
        func unknownInFile() async throws {
            let directory = try TemporaryDirectory()
            let file = directory.path + "/parley.json"
            try #"""
            {"log_levle": "info", "limits": {"text_chars": 100, "txt_chars": 100}, "limit": {"frame_bytes": 70000},
             "something": {"else": [1], "empty": {}}, "auth.signup": true}
            """#.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(
                try await findings(["--config", file], environment: ["PARLEY_PROT": "1"], kind: "note") == [
                    "unknown setting PARLEY_PROT; did you mean PARLEY_PORT?",
                    "unknown setting limit.frame_bytes in \(file); did you mean limits.frame_bytes?",
                    "unknown setting limits.txt_chars in \(file); did you mean limits.text_chars?",
                    "unknown setting log_levle in \(file); did you mean log_level?",
                    "unknown setting something.else in \(file)",
                ])
        }

        @Test("a file with a name twice is refused, and the sample has no unknown setting")
        func files() async throws {
            let directory = try TemporaryDirectory()
            let file = directory.path + "/parley.json"
            try #"{"port": 8080, "port": 8081}"#.write(toFile: file, atomically: true, encoding: .utf8)
            #expect(try await findings(["--config", file]) == ["--config: \(file) cannot be read as a JSON file"])
            let sample = Repository.url("Config/parley.json").path()
            #expect(try await findings(["--config", sample], kind: "note") == [])
        }
    }
}
