import ParleyAccounts
import ParleyBlobs
import ParleyMessaging
import ParleyModel

extension Settings {
    static func attachments(
        _ reader: inout SettingsReader, besides database: DatabaseAddress
    ) -> (rules: AttachmentSettings, storage: AttachmentStorage)? {
        let folder = reader.optionalText(
            "attachments.folder", allowed: "a path, or off",
            standard: "`parley.db.files`, beside the SQLite file; with PostgreSQL off",
            "Folder of the files that users upload; with several nodes, one that all of them share. `off`: no uploads.")
        let bucket = s3(&reader)
        let rules = rules(&reader)
        switch (folder, bucket, database) {
        case (let folder?, .some, _) where folder != "off":
            reader.reject("attachments.folder", "is set as well as PARLEY_ATTACHMENTS_S3_BUCKET; choose one")
            return nil
        case ("off", nil, _), (nil, nil, .postgres): return nil
        case (_, let bucket?, _): return (rules, .s3(bucket))
        case (let folder?, nil, _): return (rules, .folder(path: folder))
        case (nil, nil, .sqlite(let path)): return (rules, .folder(path: path + ".files"))
        }
    }

    /// `nil` if there is no bucket.
    private static func s3(_ reader: inout SettingsReader) -> S3Settings? {
        let bucket = reader.optionalText(
            "attachments.s3.bucket", allowed: "the name of a bucket",
            "Bucket of an S3-compatible storage for the files that users upload, in place of a folder.")
        let endpoint = reader.optionalText(
            "attachments.s3.endpoint", allowed: "http:// or https:// with host and port",
            standard: "that of AWS in the region", "Address of the storage. The bucket is in the path of requests.")
        let region = reader.text(
            "attachments.s3.region", "us-east-1", allowed: "a name",
            "Region of the storage, which is part of signatures.", isAllowed: { !$0.isEmpty })
        let accessKey = reader.optionalText(
            "attachments.s3.access_key", allowed: "a string", "Access key of the storage.")
        let secretKey = reader.optionalText(
            "attachments.s3.secret_key", allowed: "a string", "Secret key of the storage.", secrecy: .secret)
        let redirects = reader.boolean(
            "attachments.s3.redirect", true,
            "Whether downloads are redirected to the storage for five minutes each; `false`: Parley passes the bytes on."
        )
        guard let bucket else { return nil }
        guard let accessKey, let secretKey else {
            reader.reject(
                "attachments.s3.bucket",
                "requires PARLEY_ATTACHMENTS_S3_ACCESS_KEY and PARLEY_ATTACHMENTS_S3_SECRET_KEY")
            return nil
        }
        let settings = S3Settings(
            endpoint: endpoint ?? "https://s3.\(region).amazonaws.com", region: region, bucket: bucket,
            accessKey: accessKey, secretKey: secretKey, redirects: redirects)
        if settings == nil { reader.rejectValue(of: "attachments.s3.endpoint") }
        return settings
    }

    private static func rules(_ reader: inout SettingsReader) -> AttachmentSettings {
        var rules = AttachmentSettings()
        rules.maximumBytes = Int64(
            reader.integer(
                "attachments.file_bytes", Int(rules.maximumBytes), in: 1...1_099_511_627_776,
                "Maximum size of an uploaded file, in bytes."))
        let types = reader.text(
            "attachments.types", "*/*", allowed: "comma-separated MIME types, e.g. image/*,application/pdf",
            "Types of the files that users may upload.", isAllowed: { AttachmentTypes(parsing: $0) != nil })
        rules.types = AttachmentTypes(parsing: types) ?? AttachmentTypes()
        rules.quota.bytes = Int64(
            reader.integer(
                "attachments.user_bytes", Int(rules.quota.bytes), in: 0...1_125_899_906_842_624,
                "Maximum bytes of all files of a user; 0: no limit."))
        rules.quota.files = Int64(
            reader.integer(
                "attachments.user_files", Int(rules.quota.files), in: 1...100_000, "Maximum number of files of a user.")
        )
        let hours = reader.integer(
            "attachments.orphan_hours", Int(rules.orphanMilliseconds / 3_600_000), in: 1...8760,
            "Time after which an upload that is not continued, or a file that no message refers to, is removed, in hours."
        )
        rules.orphanMilliseconds = Int64(hours) * 3_600_000
        return rules
    }
}

/// Where the bytes of attachments are.
enum AttachmentStorage: Hashable, Sendable {
    case folder(path: String)
    case s3(S3Settings)

    func open(clock: WallClock) throws -> any BlobStore {
        switch self {
        case .s3(let settings): return S3BlobStore(settings, clock: clock)
        case .folder(let path):
            do throws(BlobError) {
                return try FolderBlobStore(path: path)
            } catch {
                throw SettingError(
                    setting: "PARLEY_ATTACHMENTS_FOLDER", explanation: "\(path) cannot be written: \(error)")
            }
        }
    }
}
