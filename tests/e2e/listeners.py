"""Many event-stream clients in one process: each line on stdin is an address to listen to, or "".

    python listeners.py COUNT

Answers each line with the number of clients that are connected.
"""

import asyncio
import sys
from urllib.parse import urlsplit


async def _listen(address: str, connected: asyncio.Semaphore) -> None:
    parts = urlsplit(address)
    reader, writer = await asyncio.open_connection(parts.hostname, parts.port)
    writer.write(f"GET {parts.path} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
    try:
        await reader.readuntil(b"\r\n\r\n")
        connected.release()
        while await reader.read(1 << 16):
            pass
    finally:
        writer.close()


async def main(count: int) -> None:
    """Connect and disconnect as told."""
    tasks: list[asyncio.Task[None]] = []
    while line := await asyncio.to_thread(sys.stdin.readline):
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        connected = asyncio.Semaphore(0)
        wanted = count if line.strip() else 0
        tasks = [asyncio.create_task(_listen(line.strip(), connected)) for _ in range(wanted)]
        for _ in range(wanted):
            await connected.acquire()
        print(wanted, flush=True)


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1])))
