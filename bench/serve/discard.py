"""Fetches one URL by several connections at once and looks at no byte of it: discard.py URL CONNECTIONS

The kernel throws away what arrives (MSG_TRUNC), so nearly all that is measured is the server. Prints the seconds
from the moment that all answers had begun. Ends with an error where an answer is not 200 or is cut.
"""

import selectors
import socket
import sys
import time
from urllib.parse import urlsplit

STEP = 4 << 20


def begin(url):
    connection = socket.create_connection((url.hostname, url.port))
    request = f"GET {url.path} HTTP/1.1\r\nHost: {url.netloc}\r\nConnection: close\r\n\r\n"
    connection.sendall(request.encode())
    head = b""
    while b"\r\n\r\n" not in head:
        byte = connection.recv(1)
        if not byte:
            raise SystemExit("the connection was closed before an answer")
        head += byte
    status, *headers = head.decode("latin-1").split("\r\n")
    length = [line.split(":")[1] for line in headers if line.lower().startswith("content-length:")]
    if " 200 " not in status or not length:
        raise SystemExit(f"{url.path}: {status}")
    connection.setblocking(False)
    return connection, int(length[0])


def main():
    url, count = urlsplit(sys.argv[1]), int(sys.argv[2])
    waiting = selectors.DefaultSelector()
    for _ in range(count):
        connection, length = begin(url)
        waiting.register(connection, selectors.EVENT_READ, [length])
    nothing = memoryview(bytearray(STEP))
    begun = time.monotonic()
    while waiting.get_map():
        for key, _ in waiting.select():
            got = key.fileobj.recv_into(nothing, STEP, socket.MSG_TRUNC)
            key.data[0] -= got
            if got == 0 and key.data[0] > 0:
                raise SystemExit(f"an answer was cut, {key.data[0]} bytes before its end")
            if key.data[0] <= 0:
                waiting.unregister(key.fileobj)
                key.fileobj.close()
    print(time.monotonic() - begun)


main()
