import ParleyBlobs
import Testing

@Suite("Signatures of S3 requests")
struct S3SignerTests {
    private static let signer = S3Signer(
        region: "us-east-1", accessKey: "AKIAIOSFODNN7EXAMPLE",
        secretKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY")
    /// 24 May 2013, as in AWS' examples.
    private static let date: Int64 = 1_369_353_600_000
    private static let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

    @Test("are those of AWS' examples: GET Object with a range")
    func range() {
        let target = S3Signer.Target(method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt")
        let headers = Self.signer.headers(
            for: target, headers: [("range", "bytes=0-9")], bodySum: Self.empty, at: Self.date)
        let authorization = headers.first { $0.name == "authorization" }?.value
        #expect(
            authorization
                == "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request, "
                + "SignedHeaders=host;range;x-amz-content-sha256;x-amz-date, "
                + "Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41")
    }

    @Test("are those of AWS' examples: PUT Object with a name that needs encoding")
    func put() {
        let target = S3Signer.Target(method: "PUT", host: "examplebucket.s3.amazonaws.com", path: "/test$file.text")
        let headers = Self.signer.headers(
            for: target,
            headers: [("date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
            bodySum: S3Signer.sum(Array("Welcome to Amazon S3.".utf8)), at: Self.date)
        let authorization = headers.first { $0.name == "authorization" }?.value
        #expect(
            authorization?.hasSuffix("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd")
                == true)
        #expect(S3Signer.uri(of: target) == "/test%24file.text")
    }

    @Test("are those of AWS' examples: GET Bucket with a query")
    func query() {
        let target = S3Signer.Target(
            method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/",
            query: [("prefix", "J"), ("max-keys", "2")])
        let headers = Self.signer.headers(for: target, bodySum: Self.empty, at: Self.date)
        let authorization = headers.first { $0.name == "authorization" }?.value
        #expect(
            authorization?.hasSuffix("Signature=34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7")
                == true)
        #expect(S3Signer.uri(of: target) == "/?max-keys=2&prefix=J")
    }

    @Test("are those of AWS' examples: an address that is valid for a day")
    func presigned() {
        let target = S3Signer.Target(method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt")
        #expect(
            Self.signer.presigned(target, at: Self.date, for: 86_400)
                == "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404")
    }

    @Test(
        "are for storages named by a URL without a path",
        arguments: [
            ("http://127.0.0.1:9000", true), ("https://s3.example.org/", true), ("https://s3.example.org:8443", true),
            ("s3.example.org", false), ("ftp://x", false), ("http://", false), ("http://x/y", false),
            ("http://x:0", false), ("http://x:y", false), ("http://a@b", false), ("http://x:1:2", false),
        ])
    func endpoints(endpoint: String, isValid: Bool) {
        let settings = S3Settings(
            endpoint: endpoint, region: "r", bucket: "b", accessKey: "a", secretKey: "s", redirects: true)
        #expect((settings != nil) == isValid)
    }
}
