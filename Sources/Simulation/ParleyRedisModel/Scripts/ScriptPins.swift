import ParleyChannels
import ParleyRedis
import ParleyRedisClient

/// The SHA-1 of the text of each script for which its effect was written.
///
/// A change of a script shows here first: change its effect as well, let the comparison with a real server run
/// (`RedisModelComparisonTests`), then replace the number.
package enum ScriptPins {
    package static let pins: [String: String] = [
        "acknowledge": "e4c188f631eab58e7409df0dcf4f1c3bdce5d311",
        "advance": "7f5c66f31051b4ca0c57bddfd3b704aa59cdb31d",
        "awaitedMessage": "561dd25412970f2671a6c242746ed49c8e878aef",
        "check": "d446542c981c63f84e3cbc8c26de7e6eafdedfaf",
        "claim": "2d3b7bae9a1ed3ae1c96b44020dacc2b96817a9d",
        "count": "79f0790c9c69be906a9f0e0b4ee22859074797e1",
        "deletion": "7c295f1bbd64795c55d654d08305b112a15570f0",
        "endEpoch": "1c4f90811e4b941b2aa8095feac70a37974c326f",
        "evidence": "642c1fed523b9b4c1f97818389310297b8a23e54",
        "forget": "6e20166c393926e15ee00cd02afb8d74c7834158",
        "guardedAwaitedMessage": "4e3e67208bd803b88cfb091f91249725ee06d490",
        "guardedMessage": "2a5de1cd7939eaa48fb813a5bcafd6dfe09b8a14",
        "holdGuest": "8f6b62dd698fc68c40ef46152c8fbc295afddfd7",
        "holdName": "1e67bcb7f4d95f4847a36461ee2cbe719dddfd5f",
        "ingest": "cd80427adc0547dec77d70beed1e2efc451b67fa",
        "message": "f1755c7dbfd5000657b97d2eb5c93a8b205f46ef",
        "nodeList": "99a698b99250e5a1d327dc8096e72ee3898c1325",
        "nodePost": "46532b797ce44bea566ad756fa46b4823ade73c3",
        "nodePut": "1dd1d17ba8565930ee66e7794006d4453427798c",
        "nodeTake": "46f46ccda7fbe7209a60094e7c1dd9f387d522f0",
        "otherEvent": "1f5630b5479c836244c7a960f5b8bd4fcc0cf5e0",
        "presenceLeases": "709f13b4bb9d194b1c38471a992b6dc4917813eb",
        "presenceRead": "c896aaa5b4bfdb103dd55c3df0e39fadb6f5b62a",
        "presenceRenew": "efb67a34abc26a52d45a17fb555db5a85e721439",
        "presenceWrite": "923279e10f64fc97bf2189c8ad4a18f00f430bf3",
        "queueCommit": "347452e1c82593ae47f73172bfc3fa25157bc9e2",
        "queueMembers": "00142687f83e85d52ca968e5b168a409d2c08711",
        "queueOverdue": "fb1279eadfd9513de3e5494c788b9cb7557e6d89",
        "queueSend": "57d16b706c474eeb137dc8ed5b3647758c65e5e0",
        "queueTake": "f78592115c579b2d0d0b190a4f4c86b1d97a81e4",
        "read": "83be93327b1472fd7570d3818990edb813a44da6",
        "recheck": "c37ce9765b4e781d556b5302c344b0b96701793e",
        "redact": "a1b39fcbea171debef241d13393516a6871f1349",
        "releaseGuest": "4034f4dd3ba79f89478467eb7fe021d48521fd59",
        "releaseName": "7f8f6677b8f2b4b65b9b9905151ced126e6b7e49",
        "seed": "3727c550dcc0763e69cf5d2bc458f7225f34f399",
        "settle": "9a029e222b51dc56e00f4300a6c3ac73fdbe902c",
        "take": "fa75a0b2086866faafce9db9080b200b20b5815e",
        "trim": "0dcc8e41cba3f7229fe9913882bbd4d70af3d00b",
        "window": "c1966eb9d62f596d8f0b84f76b8b2701e27be6e4",
    ]

    /// The names of the scripts with another text.
    static let changed: [String] = current.filter { pins[$0.key] != $0.value }.map(\.key).sorted()

    /// The SHA-1 of each script. For a script that depends on settings it covers all texts, one after another.
    package static var current: [String: String] {
        var current = ModelledScript.fixed.reduce(into: [:]) { $0[$1.name] = $1.script.sha }
        var texts: [String: String] = [:]
        for settings in samples {
            for script in ModelledScript.appends(settings) { texts[script.name, default: ""] += script.script.source }
        }
        for (name, text) in texts { current[name] = RedisScript(text).sha }
        return current
    }

    /// Settings that make all parts of the texts appear.
    private static var samples: [RedisSettings] {
        var samples: [RedisSettings] = []
        for serializer in ChannelsSettings.Serializer.allCases {
            for (isCore, keys) in [(false, []), (true, []), (false, ["key"]), (true, ["key"])] {
                var settings = RedisSettings(addresses: [])
                settings.channels.serializer = serializer
                settings.channels.symmetricEncryptionKeys = keys
                if isCore { settings.channels.core = QueueLayerSettings() }
                samples.append(settings)
            }
        }
        return samples
    }
}
