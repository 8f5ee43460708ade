import Foundation
import ParleyAccounts
import ParleyMessaging

extension Settings {
    /// Reads the keys of push services.
    static func push(_ reader: inout SettingsReader) -> PushSettings {
        let files = "the path of a file"
        let texts = [
            ("push.apns_key_file", files, "Key for APNs in PEM (`.p8`), from Apple's developer account."),
            ("push.apns_key_id", "10 capital letters and digits", "ID of the key for APNs."),
            ("push.apns_team_id", "10 capital letters and digits", "ID of the team to which the key for APNs belongs."),
            ("push.fcm_account_file", files, "Key of a service account of Firebase, in JSON."),
            ("push.vapid_key_file", files, "Private key of P-256 for Web Push, in PEM or base64url."),
            ("push.vapid_subject", "mailto:name@host or an https URL", "Contact that Web Push services are told."),
        ]
        var environment: [String: String] = [:]
        for (name, allowed, summary) in texts {
            let value = reader.optionalText(name, allowed: allowed, summary)
            environment[variable(name)] = value
        }
        do throws(PushSettingsError) {
            return try PushSettings(environment: environment) { try Array(Data(contentsOf: URL(filePath: $0))) }
        } catch {
            for problem in error.problems {
                let name = texts.first { variable($0.0) == problem.setting }?.0
                if let name { reader.reject(name, problem.explanation) }
            }
            return PushSettings()
        }
    }

    /// Reads the time after which a message counts as unseen.
    static func pushDelay(_ reader: inout SettingsReader) -> Duration {
        .seconds(
            reader.integer(
                "push.delay_seconds", 5, in: 0...3_600,
                "Seconds after which a message that was not read notifies the devices of its recipients."))
    }

    /// The name of a setting of push services in the environment.
    private static func variable(_ name: String) -> String {
        "PARLEY_" + name.uppercased().replacing(".", with: "_")
    }
}
