"""Files: uploads in pieces that continue after an interruption, and downloads that do the same."""

from __future__ import annotations

import asyncio
import hashlib
import mimetypes
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import IO

from . import decoding
from .errors import MalformedAnswer, ParleyError
from .models import JSON, Attachment, Part
from .policy import wait_before
from .rest_base import ATTEMPTS, RestBase
from .transport import escaped, refusal

#: The bytes of one request of an upload, and its seconds. A slow one is interrupted, and continues.
PIECE = 1 << 20
PIECE_TIMEOUT = 120.0


class FileCalls(RestBase):
    async def attachment_limits(self) -> JSON:
        """My limits for uploads, and what is used: ``max_bytes``, ``types``, ``used_bytes``, ``quota_bytes``, …"""
        return await self.fetch("GET", "/v1/attachments")

    async def upload(
        self,
        file: str | Path | bytes | IO[bytes],
        *,
        name: str | None = None,
        type: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> Attachment:
        """Uploads a file, in pieces of 1 MiB, each again where it was interrupted.

        ``await client.send(room, parts=[attachment.part])`` shows it. A file that no message refers to is removed after
        a day.

        :param file: a path, the bytes, or a file that can seek
        :param name: by default that of the path
        :param type: a MIME type, by default that of the name
        :param progress: called with the bytes that the server has, and their number
        :raises ParleyError: such as ``too_large``, or ``bad_request`` for a type that is not allowed
        """
        reader = _Reader(file)
        try:
            name = name or reader.name
            type = type or mimetypes.guess_type(name)[0] or "application/octet-stream"
            digest = await asyncio.to_thread(reader.digest)
            content = {"name": name, "type": type, "size": reader.size, "sha256": digest}
            attachment = decoding.attachment(await self.fetch("POST", "/v1/attachments", content=content))
            return await self._upload_pieces(reader, attachment, progress)
        finally:
            reader.close()

    async def _upload_pieces(
        self, reader: _Reader, attachment: Attachment, progress: Callable[[int, int], None] | None
    ) -> Attachment:
        failures = 0
        while not attachment.is_complete:
            piece = await asyncio.to_thread(reader.piece, attachment.offset)
            try:
                attachment = await self._append(attachment, piece)
            except ParleyError as error:
                if not error.retryable and error.offset is None:
                    raise
                failures += 1
                if failures >= ATTEMPTS:
                    raise
                await asyncio.sleep(error.retry_after + wait_before(failures - 1, "back-off", self._random))
                before, attachment = attachment.offset, await self.attachment_state(attachment)
                failures = failures if attachment.offset <= before else 0
                continue
            failures = 0
            if progress is not None:
                progress(attachment.offset, attachment.size)
        return attachment

    async def _append(self, attachment: Attachment, piece: bytes) -> Attachment:
        headers = {"Upload-Offset": str(attachment.offset), "Content-Type": "application/octet-stream"}
        path = f"/v1/attachments/{escaped(attachment.id)}"
        own = await self.headers()
        response = await self._transport.request(
            "PATCH", path, headers=own | headers, body=piece, timeout=PIECE_TIMEOUT
        )
        if response.status != 200:
            raise refusal(response.status, response.headers, response.body)
        answer = response.json()
        if not isinstance(answer, dict):
            raise MalformedAnswer("no object")
        return decoding.attachment(answer)

    async def attachment_state(self, attachment: Attachment) -> Attachment:
        """An upload as it is now, with the ``offset`` where it continues."""
        response = await self.call("HEAD", f"/v1/attachments/{escaped(attachment.id)}")
        offset = int(response.headers.get("Upload-Offset", attachment.size))
        values = {name: getattr(attachment, name) for name in ("id", "url", "name", "type", "size", "sha256")}
        return Attachment(**values, offset=offset, is_complete=offset >= attachment.size)

    async def delete_attachment(self, attachment: Attachment | str) -> None:
        """Removes a file of mine that no message refers to."""
        await self.call("DELETE", f"/v1/attachments/{escaped(_id(attachment))}")

    async def download(self, file: Attachment | Part | str, path: str | Path) -> int:
        """Writes a file of this server to ``path``, once it is complete, and returns its size.

        An interrupted download continues.

        :param file: an attachment, its ID, or the part of a message
        """
        size = 0
        partial = Path(f"{path}.part")
        output = await asyncio.to_thread(open, partial, "wb")
        try:
            try:
                async for chunk in self.content(file):
                    size += await asyncio.to_thread(output.write, chunk)
            finally:
                await asyncio.to_thread(output.close)
            await asyncio.to_thread(partial.replace, path)
        except BaseException:
            _discard(partial)
            raise
        return size

    async def content(self, file: Attachment | Part | str) -> AsyncIterator[bytes]:
        """The bytes of a file of this server. An interrupted download continues; see :meth:`download` for the
        parameter."""
        start, failures, version = 0, 0, None
        while True:
            try:
                async for chunk, tag in self._content(_path(file), start, version):
                    start += len(chunk)
                    failures, version = 0, tag
                    yield chunk
                return
            except ParleyError as error:
                failures += 1
                if not error.retryable or failures >= ATTEMPTS:
                    raise
                await asyncio.sleep(error.retry_after + wait_before(failures - 1, "back-off", self._random))

    async def _content(self, path: str, start: int, tag: str | None) -> AsyncIterator[tuple[bytes, str | None]]:
        """The rest of a file from ``start`` on, with its version."""
        headers = await self.headers()
        if start:
            headers |= {"Range": f"bytes={start}-"} | ({"If-Range": tag} if tag else {})
        url = path
        for _ in range(3):
            async with self._transport.stream(url, headers) as stream:
                location = stream.headers.get("Location")
                if stream.status in (302, 303, 307) and location is not None:
                    # An object storage, which must not see the credentials.
                    url = location
                    headers = {name: value for name, value in headers.items() if name in ("Range", "If-Range")}
                    continue
                if stream.status == 416 and start:
                    return
                if stream.status not in (200, 206):
                    raise refusal(stream.status, stream.headers)
                tag = stream.headers.get("ETag", tag)
                skip = start if stream.status == 200 else 0
                async for chunk in stream.chunks:
                    kept = chunk[skip:]
                    skip = max(0, skip - len(chunk))
                    if kept:
                        yield kept, tag
                return
        raise MalformedAnswer("too many redirections")


def _discard(path: Path) -> None:
    path.unlink(missing_ok=True)


def _id(file: Attachment | str) -> str:
    return file if isinstance(file, str) else file.id


def _path(file: Attachment | Part | str) -> str:
    url = file.url if isinstance(file, Part) else None
    if url is None:
        return f"/v1/attachments/{escaped(_id(file) if not isinstance(file, Part) else file.attachment or '')}"
    # The sender of a message wrote its URLs: only URLs of attachments may get the credentials.
    if not url.startswith("/v1/attachments/") or ".." in url:
        raise ValueError("no file of this server")
    return url


class _Reader:
    """The pieces of a file, wherever it is."""

    def __init__(self, file: str | Path | bytes | IO[bytes]) -> None:
        self.name = "file"
        self._owns = isinstance(file, str | Path)
        self._bytes = file if isinstance(file, bytes) else None
        self._file: IO[bytes] | None = None
        if isinstance(file, bytes):
            self.size = len(file)
            return
        if isinstance(file, str | Path):
            self.name = Path(file).name
            self._file = open(file, "rb")
        else:
            self._file = file
            self.name = Path(str(getattr(file, "name", "file"))).name
        self.size = self._file.seek(0, 2)

    def piece(self, offset: int) -> bytes:
        if self._file is None:
            return (self._bytes or b"")[offset : offset + PIECE]
        self._file.seek(offset)
        return self._file.read(PIECE)

    def digest(self) -> str:
        result = hashlib.sha256()
        for offset in range(0, self.size, PIECE):
            result.update(self.piece(offset))
        return result.hexdigest()

    def close(self) -> None:
        if self._owns and self._file is not None:
            self._file.close()
