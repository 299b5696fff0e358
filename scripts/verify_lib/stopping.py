"""Signals end a call between two looks at its children, never in the middle of a file or of a child's beginning."""

import signal

_asked = []


class Stopped(BaseException):
    """The signal's number."""


def listen():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        # nohup has one of them ignored.
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, lambda got, _: _asked.append(got))


def check():
    if _asked:
        raise Stopped(_asked[0])
