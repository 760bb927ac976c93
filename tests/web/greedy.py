"""Work for helper processes and workers under test, in a module that each of them imports; and `apart`."""

import asyncio
import os
import time
from concurrent.futures import ThreadPoolExecutor


def slow(seconds):
    time.sleep(seconds)
    return seconds


def hungry(megabytes):
    held = b"x" * int(megabytes * 1e6)
    slow(5)
    return len(held)


def busy(seconds):
    until = time.process_time() + seconds
    while time.process_time() < until:
        pass
    return seconds


def mortal(connection):
    """A worker that dies of the first job it gets, before it says that it has it."""
    connection.recv()
    os._exit(1)


def apart(function):
    """Return what a coroutine returns, from a thread: that of the tests may have the loop of a browser."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(asyncio.wait_for(function(), 60))).result()
