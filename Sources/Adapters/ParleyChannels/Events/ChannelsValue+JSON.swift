import ParleyJSON

extension ChannelsValue {
    /// Converts a JSON value to its Python equivalent.
    init(_ tree: JSONTree) {
        switch tree {
        case .null: self = .null
        case .bool(let flag): self = .bool(flag)
        case .integer(let number): self = .int(number)
        case .number(let number): self = .double(number)
        case .text(let text): self = .text(text)
        case .array(let elements): self = .array(elements.map { ChannelsValue($0) })
        case .members(let members): self = .map(members.map { Entry(.text($0.key), ChannelsValue($0.value)) })
        }
    }

    /// The JSON value that this was converted from; `nil` for a value that no JSON value converts to.
    var tree: JSONTree? {
        switch self {
        case .null: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .integer(number)
        case .double(let number): return number.isFinite ? .number(number) : nil
        case .text(let text): return .text(text)
        case .array(let elements):
            let trees = elements.compactMap(\.tree)
            return trees.count == elements.count ? .array(trees) : nil
        case .map(let entries):
            let members = entries.compactMap { entry -> JSONTree.Member? in
                guard let key = entry.key.text, let value = entry.value.tree else { return nil }
                return JSONTree.Member(key, value)
            }
            return members.count == entries.count ? .members(members) : nil
        case .uint, .digits, .bytes, .ext: return nil
        }
    }

    var bool: Bool? {
        if case .bool(let flag) = self { flag } else { nil }
    }

    var elements: [ChannelsValue]? {
        if case .array(let elements) = self { elements } else { nil }
    }
}
