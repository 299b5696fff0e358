"""A command in a process group of its own, so that what it started ends with it."""

import os
import signal
import subprocess
import time

from . import tree

GRACE = 5  # seconds between asking and killing


class Child:
    def __init__(self, command, log, environment, timeout=None):
        self.log, self.timeout, self.begin = log, timeout, time.monotonic()
        log.parent.mkdir(parents=True, exist_ok=True)
        with open(log, "wb") as out:
            self.process = subprocess.Popen(["bash", "-euo", "pipefail", "-c", command], cwd=tree.TOP, stdin=subprocess.DEVNULL,
                                            stdout=out, stderr=subprocess.STDOUT, env=environment, start_new_session=True)
        self.code, self.processor, self.is_late = None, 0.0, False

    @property
    def seconds(self):
        return time.monotonic() - self.begin

    def has_ended(self):
        if self.code is None:
            # Only this call tells what the command and all that it waited for took of processors.
            pid, status, used = os.wait4(self.process.pid, os.WNOHANG)
            if pid:
                self.code = self.process.returncode = os.waitstatus_to_exitcode(status)
                self.processor = used.ru_utime + used.ru_stime
            elif self.timeout and self.seconds > self.timeout:
                self.is_late = True
                self.end()
        return self.code is not None

    def signal(self, number):
        try:
            os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass

    def end(self):
        end_all([self])


def end_all(children):
    for child in children:
        child.signal(signal.SIGTERM)
    until = time.monotonic() + GRACE
    while time.monotonic() < until and not all([_reaped(child) for child in children]):
        time.sleep(0.02)
    for child in children:
        child.signal(signal.SIGKILL)
        while not _reaped(child):
            time.sleep(0.02)


def _reaped(child):
    child.timeout = None
    return child.has_ended()
