package import ParleyJSON

extension ChatPart {
    /// Reads a part from its JSON.
    package init(_ tree: JSONTree) {
        guard let type = tree["type"]?.text else {
            self = .other(json: tree.canonical)
            return
        }
        if type == "text/plain", let content = tree["content"]?.text {
            self = .text(content)
        } else if type == "application/geo+json", let place = ChatLocation(geoJSON: tree["content"]) {
            self = .location(place)
        } else if let url = tree["url"]?.text {
            let file = ChatFile(
                url: url, mediaType: type, name: tree["name"]?.text, size: tree["size"]?.int, width: tree["width"]?.int,
                height: tree["height"]?.int, durationMilliseconds: tree["duration_ms"]?.int,
                attachmentID: tree["attachment"]?.text)
            self = ChatPart(file)
        } else {
            self = .other(json: tree.canonical)
        }
    }

    /// The JSON of the part. A part of an unknown type keeps its original JSON.
    package var json: JSONTree {
        switch self {
        case .text(let text): return .object(["type": .text("text/plain"), "content": .text(text)])
        case .photo(let file), .video(let file), .file(let file):
            return .object([
                "type": .text(file.mediaType), "url": .text(file.url), "name": file.name.map { .text($0) },
                "size": file.size.map { .integer(Int64($0)) }, "width": file.width.map { .integer(Int64($0)) },
                "height": file.height.map { .integer(Int64($0)) },
                "duration_ms": file.durationMilliseconds.map { .integer(Int64($0)) },
                "attachment": file.attachmentID.map { .text($0) },
            ])
        case .location(let place):
            let coordinates = [JSONTree.number(place.longitude), .number(place.latitude)]
            return .object([
                "type": .text("application/geo+json"),
                "content": .object(["type": .text("Point"), "coordinates": .array(coordinates)]),
            ])
        case .other(let json): return (try? JSONTree(parsing: json)) ?? .null
        }
    }
}

extension ChatLocation {
    fileprivate init?(geoJSON tree: JSONTree?) {
        guard let tree, tree["type"]?.text == "Point", let numbers = tree["coordinates"]?.elements,
            numbers.count >= 2, let longitude = numbers[0].double, let latitude = numbers[1].double
        else { return nil }
        self.init(latitude: latitude, longitude: longitude)
    }
}
