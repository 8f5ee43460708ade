/// Enforces `RESPLimits` on the bytes passed to hiredis' parser, which buffers any announced length.
///
/// A value. It sees every byte once, in portions of any size, and throws when a reply exceeds the limits.
package struct RESPGuard: Sendable {
    /// The reason that bytes are rejected.
    package enum ParseError: Error, Hashable, Sendable {
        case bulkTooLong
        case lineTooLong
        case tooManyElements
        case replyTooLong
        case malformed
    }

    private enum State {
        case type
        /// Within a line; only its length is checked.
        case line(Int)
        /// Within the digits of a length.
        case length(isArray: Bool, digits: Int, value: Int, isNegative: Bool)
        /// Within a bulk string, including its final CR LF.
        case bulk(Int)
    }

    private let limits: RESPLimits
    private var state = State.type
    /// The number of values still missing from the reply.
    private var missing = 1
    private var elements = 0
    private var bulkBytes = 0

    package init(_ limits: RESPLimits = RESPLimits()) {
        self.limits = limits
    }

    /// Checks the next bytes.
    /// - Throws: `ParseError` when the reply exceeds a limit or has an unknown type.
    package mutating func check(_ bytes: UnsafeRawBufferPointer) throws(ParseError) {
        var index = 0
        while index < bytes.count {
            if case .bulk(let left) = state {
                let step = min(left, bytes.count - index)
                index += step
                state = .bulk(left - step)
                if left == step { completed() }
            } else {
                try check(bytes[index])
                index += 1
            }
        }
    }

    private mutating func check(_ byte: UInt8) throws(ParseError) {
        switch state {
        case .type:
            switch byte {
            case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: ":"): state = .line(0)
            case UInt8(ascii: "$"): state = .length(isArray: false, digits: 0, value: 0, isNegative: false)
            case UInt8(ascii: "*"): state = .length(isArray: true, digits: 0, value: 0, isNegative: false)
            default: throw .malformed
            }
        case .line(let count):
            guard count < limits.lineBytes else { throw .lineTooLong }
            state = .line(count + 1)
            if byte == UInt8(ascii: "\n") { completed() }
        case .length(let isArray, let digits, let value, let isNegative):
            switch byte {
            case UInt8(ascii: "-") where digits == 0 && !isNegative:
                state = .length(isArray: isArray, digits: 0, value: 0, isNegative: true)
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                guard digits < 10 else { throw isArray ? .tooManyElements : .bulkTooLong }
                let next = value * 10 + Int(byte - UInt8(ascii: "0"))
                state = .length(isArray: isArray, digits: digits + 1, value: next, isNegative: isNegative)
            case UInt8(ascii: "\r"):
                break
            case UInt8(ascii: "\n") where digits > 0:
                try announced(isArray: isArray, isNegative ? -1 : value)
            default:
                throw .malformed
            }
        case .bulk:
            break
        }
    }

    private mutating func announced(isArray: Bool, _ count: Int) throws(ParseError) {
        if isArray {
            elements += max(0, count)
            guard elements <= limits.elements else { throw .tooManyElements }
            missing += max(0, count)
            completed()
        } else if count < 0 {
            completed()
        } else {
            guard count <= limits.bulkBytes else { throw .bulkTooLong }
            bulkBytes += count
            guard bulkBytes <= limits.replyBytes else { throw .replyTooLong }
            state = .bulk(count + 2)
        }
    }

    private mutating func completed() {
        state = .type
        missing -= 1
        if missing == 0 {
            missing = 1
            elements = 0
            bulkBytes = 0
        }
    }
}
