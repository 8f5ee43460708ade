package import ParleyAccounts

/// The keys with which pushes are sent; a service without a key is off.
package struct PushSettings: Sendable {
    /// `PARLEY_PUSH_APNS_KEY_FILE`, `PARLEY_PUSH_APNS_KEY_ID` and `PARLEY_PUSH_APNS_TEAM_ID`.
    package var apns: APNsKey?
    /// `PARLEY_PUSH_FCM_ACCOUNT_FILE`.
    package var fcm: FCMAccount?
    /// `PARLEY_PUSH_VAPID_KEY_FILE` and `PARLEY_PUSH_VAPID_SUBJECT`.
    package var vapid: VAPIDKey?

    /// The maximum size of a key file in bytes.
    package static let maximumFile = FCMAccount.maximumFile

    package init() {}

    /// Reads the settings and the files that they name.
    /// - Parameters:
    ///   - environment: Values by their names; an empty one counts as absent.
    ///   - read: Returns the content of a file.
    /// - Throws: All problems at once.
    package init(
        environment: [String: String], read: @escaping (_ path: String) throws -> [UInt8]
    ) throws(PushSettingsError) {
        let reader = Reader(environment: environment, read: read)
        var problems: [SettingError] = []
        do throws(SettingError) { apns = try reader.apns() } catch { problems.append(error) }
        do throws(SettingError) { fcm = try reader.fcm() } catch { problems.append(error) }
        do throws(SettingError) { vapid = try reader.vapid() } catch { problems.append(error) }
        guard problems.isEmpty else { throw PushSettingsError(problems: problems) }
    }
}

/// The settings that are unusable.
package struct PushSettingsError: Error, Hashable, Sendable {
    package let problems: [SettingError]
}

/// Reads the settings of one service after the other.
private struct Reader {
    private static let apnsFile = "PARLEY_PUSH_APNS_KEY_FILE"
    private static let apnsKeyID = "PARLEY_PUSH_APNS_KEY_ID"
    private static let apnsTeamID = "PARLEY_PUSH_APNS_TEAM_ID"
    private static let fcmFile = "PARLEY_PUSH_FCM_ACCOUNT_FILE"
    private static let vapidFile = "PARLEY_PUSH_VAPID_KEY_FILE"
    private static let vapidSubject = "PARLEY_PUSH_VAPID_SUBJECT"

    let environment: [String: String]
    let read: (_ path: String) throws -> [UInt8]

    func apns() throws(SettingError) -> APNsKey? {
        let names = [Self.apnsFile, Self.apnsKeyID, Self.apnsTeamID]
        guard let path = try value(Self.apnsFile, with: names), let keyID = try value(Self.apnsKeyID, with: names),
            let teamID = try value(Self.apnsTeamID, with: names)
        else { return nil }
        for (name, id) in [(Self.apnsKeyID, keyID), (Self.apnsTeamID, teamID)] where !APNsKey.isID(id) {
            throw SettingError(
                setting: name, explanation: "invalid value \"\(id)\"; expected 10 capital letters and digits")
        }
        let pem = String(decoding: try content(of: path, Self.apnsFile), as: UTF8.self)
        guard let key = APNsKey(pem: pem, keyID: keyID, teamID: teamID) else {
            throw SettingError(
                setting: Self.apnsFile, explanation: "\(path) has no private key of P-256 in PEM; expected a .p8 file")
        }
        return key
    }

    func fcm() throws(SettingError) -> FCMAccount? {
        guard let path = try value(Self.fcmFile, with: [Self.fcmFile]) else { return nil }
        let json = try content(of: path, Self.fcmFile)
        do {
            return try FCMAccount(json: json)
        } catch {
            throw SettingError(setting: Self.fcmFile, explanation: "\(path) \(error.explanation)")
        }
    }

    func vapid() throws(SettingError) -> VAPIDKey? {
        let names = [Self.vapidFile, Self.vapidSubject]
        guard let path = try value(Self.vapidFile, with: names), let subject = try value(Self.vapidSubject, with: names)
        else { return nil }
        guard VAPIDKey.isSubject(subject) else {
            throw SettingError(
                setting: Self.vapidSubject,
                explanation: "invalid value \"\(subject)\"; expected mailto:name@host or an https URL")
        }
        let text = String(decoding: try content(of: path, Self.vapidFile), as: UTF8.self)
        guard let key = VAPIDKey(text, subject: subject) else {
            throw SettingError(
                setting: Self.vapidFile,
                explanation: "\(path) has no private key of P-256; expected PEM, or 32 bytes in base64url")
        }
        return key
    }

    /// The value of a setting; `nil` if it and all others with which it belongs are absent.
    private func value(_ name: String, with others: [String]) throws(SettingError) -> String? {
        if let value = environment[name], !value.isEmpty { return value }
        guard let other = others.first(where: { environment[$0]?.isEmpty == false }) else { return nil }
        throw SettingError(setting: name, explanation: "is not set, but \(other) is; they are required together")
    }

    private func content(of path: String, _ setting: String) throws(SettingError) -> [UInt8] {
        guard let bytes = try? read(path) else {
            throw SettingError(setting: setting, explanation: "\(path) cannot be read")
        }
        guard bytes.count <= PushSettings.maximumFile else {
            throw SettingError(
                setting: setting,
                explanation: "\(path) has \(bytes.count) bytes; expected at most \(PushSettings.maximumFile)")
        }
        return bytes
    }
}
