import Foundation
import GRDB
import ParleyStorage

/// The SQL function `parley_content_digest`, which computes the digest to keep of a message whose text is removed. The
/// result is `NULL` without a key.
enum ContentDigest {
    static func function(_ key: ContentKey?) -> DatabaseFunction {
        DatabaseFunction("parley_content_digest", argumentCount: 4) { values in
            guard let key, let thread = String.fromDatabaseValue(values[0]),
                let text = String.fromDatabaseValue(values[1])
            else { return nil }
            let content = SendContent(
                thread: thread, text: text, parts: String.fromDatabaseValue(values[2]),
                replyTo: Int64.fromDatabaseValue(values[3]))
            return Data(key.digest(of: content))
        }
    }
}
