import Crypto
package import ParleyModel

/// The types of Django's events that are taken into the log, `PARLEY_CHANNELS_ADOPT`; see decision 041.
package struct AdoptedTypes: Hashable, Sendable {
    /// The handler of a message in Django's consumers.
    private static let messageHandler = "chat_message"

    /// The handlers of the types: Django calls the same one for both spellings.
    private let handlers: Set<String>

    /// No type is adopted.
    package init() {
        handlers = []
    }

    /// Reads a comma-separated list; `nil` if it contains anything but types that a consumer can have a handler for.
    package init?(_ list: String) {
        let types = list.split(separator: ",", omittingEmptySubsequences: false).map { $0.filter { $0 != " " } }
        let isValid = types.allSatisfy { type in
            guard let first = type.utf8.first, first != UInt8(ascii: "_"), first != UInt8(ascii: ".") else {
                return false
            }
            return ThreadID(type)?.text.contains("-") == false && !type.hasPrefix("parley.")
        }
        guard isValid else { return nil }
        handlers = Set(types.map(Self.handler))
    }

    /// Returns the name of the method that Django calls for a type.
    private static func handler(_ type: some StringProtocol) -> String {
        String(type.map { $0 == "." ? "_" : $0 })
    }

    package var isEmpty: Bool { handlers.isEmpty }

    /// Returns the request of an event; `nil` if its type is not adopted.
    /// - Parameters:
    ///   - event: A map with a `type`; the same for all receivers.
    ///   - sent: The time of sending in Unix microseconds, if the layer provides it.
    package func request(of event: ChannelsValue, sent: Int64?) -> AdoptionRequest? {
        guard !handlers.isEmpty, let type = event["type"]?.text else { return nil }
        let handler = Self.handler(type)
        guard handlers.contains(handler) else { return nil }
        do throws(AdoptionFailure) {
            return .send(try Self.send(event, sent: sent, isKnownToDjango: handler == Self.messageHandler))
        } catch {
            return .refused(error)
        }
    }

    private static func send(
        _ event: ChannelsValue, sent: Int64?, isKnownToDjango: Bool
    ) throws(AdoptionFailure) -> ForeignSend {
        guard let message = event["message"], case .map = message else { throw .invalid }
        // Otherwise a consumer that forwards the messages that it receives would number each one again and again.
        if message["epoch"]?.text != nil, message["seq"]?.integer != nil { throw .logged }
        guard let sender = sender(of: message) else { throw .unknownSender }
        let parts = try parts(of: message)
        // A value that is too large for msgpack occurs only in JSON events, so all nodes agree here too.
        guard let bytes = (try? MessagePackWriter.encode(event)) ?? (try? PythonJSONWriter.encode(event)) else {
            throw .invalid
        }
        return ForeignSend(
            sender: sender, text: try text(of: message, isOptional: !parts.isEmpty), parts: parts,
            replyTo: try replyTo(of: message), clientID: try clientID(of: message),
            digest: Array(SHA256.hash(data: bytes)), sentMicroseconds: sent, isKnownToDjango: isKnownToDjango)
    }

    /// Returns the sender of a message. The primary key of a Django user is often a number.
    private static func sender(of message: ChannelsValue) -> ForeignSend.Sender? {
        switch message["sender_id"] {
        case .text(let text)?: return UserID(text).map { .id($0) }
        case .int(let number)?: return UserID(String(number)).map { .id($0) }
        case nil, .null?: return message["sender_name"]?.text.map { .name($0) }
        default: return nil
        }
    }

    private static func text(of message: ChannelsValue, isOptional: Bool) throws(AdoptionFailure) -> String {
        switch message["text"] {
        case .text(let text)?: return text
        case nil where isOptional: return ""
        default: throw .invalid
        }
    }

    private static func parts(of message: ChannelsValue) throws(AdoptionFailure) -> [MessagePart] {
        guard let value = message["parts"], value != .null else { return [] }
        guard let tree = value.tree, let parts = try? MessagePart.parts(tree) else { throw .invalid }
        // Only the owner of attachments may send them, and only `Messaging.attach` makes them readable for members.
        guard parts.allSatisfy({ $0.attachment == nil }) else { throw .invalid }
        return parts
    }

    private static func replyTo(of message: ChannelsValue) throws(AdoptionFailure) -> Int64? {
        guard let value = message["reply_to"], value != .null else { return nil }
        guard let seq = value.integer, seq >= 1 else { throw .invalid }
        return seq
    }

    private static func clientID(of message: ChannelsValue) throws(AdoptionFailure) -> String? {
        guard let value = message["client_id"], value != .null else { return nil }
        guard let id = value.text, Message.isValid(clientID: id) else { throw .invalid }
        return id
    }
}
