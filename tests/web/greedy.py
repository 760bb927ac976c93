"""What an aide is asked for that takes too long or too much; a module of its own, because each aide imports it."""

import time


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
