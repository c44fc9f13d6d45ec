"""Work spread over processes: the results in the order of the jobs, whatever happens to a process."""

from __future__ import annotations

import pickle
import signal
import threading
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from contextlib import suppress
from functools import cache
from multiprocessing import get_context, resource_tracker
from multiprocessing.connection import Connection
from typing import Any, Generic, NamedTuple, TypeVar

from rules.errors import WorldModelError

Job = TypeVar("Job")
Result = TypeVar("Result")
Begin = Callable[[], Callable[[Job], Result]]
"""Makes what does a job. It is called once in every process, and must be picklable."""
AHEAD = 4
"""So many jobs a worker are taken from their source before their results are asked for."""


def in_order(submit: Callable[[Job], Future[Result]], jobs: Iterable[Job], ahead: int) -> Iterator[Result]:
    """The results of jobs in their order, while at most `ahead` of them are under way."""
    pending: deque[Future[Result]] = deque()
    for job in jobs:
        pending.append(submit(job))
        if len(pending) >= ahead:
            yield pending.popleft().result()
    while pending:
        yield pending.popleft().result()


class Workers(Generic[Job, Result]):
    """One thread a worker, each with a process of its own; so a death is known to be of one job.

    That job is done again, once, by a new process. `name` says in an error which job it was.
    """

    def __init__(
        self, begin: Begin[Job, Result], number: int, name: Callable[[Job], str], ahead: int | None = None
    ) -> None:
        self.begin, self.number, self.name = begin, number, name
        self.ahead = ahead or AHEAD * number
        self._own = threading.local()
        self._processes: list[_Process] = []
        self._stopped = threading.Event()

    def map(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """The results in the order of the jobs, which are taken only a few ahead.

        Raises what a job raises, and `WorldModelError` where a job's process died twice.
        """
        # A process inherits the mask of the thread that starts it: Ctrl-C is for this process alone.
        threads = ThreadPoolExecutor(self.number, initializer=_block_interrupts)
        try:
            yield from in_order(lambda job: threads.submit(self._do, job), jobs, self.ahead)
        finally:
            self._stopped.set()
            self._end()
            threads.shutdown(cancel_futures=True)
            self._end()

    def _do(self, job: Job) -> Result:
        for _ in range(2):
            try:
                result: Result = self._process().do(job)
                return result
            except _DiedError:
                self._own.process = None
                if self._stopped.is_set():
                    raise CancelledError from None
        raise WorldModelError(
            f"{self.name(job)}: the process that worked on it died twice; out of memory? try fewer workers"
        )

    def _process(self) -> _Process:
        process: _Process | None = getattr(self._own, "process", None)
        if process is None:
            process = self._own.process = _Process(self.begin)
            self._processes.append(process)
        return process

    def _end(self) -> None:
        """Ends the processes, also those in the middle of a job."""
        for process in self._processes:
            process.end()


class _Failure(NamedTuple):
    """What a job raised, and where."""

    error: Exception
    trace: str


class _DiedError(Exception):
    """A process is gone, and no answer will come."""


class _Process:
    """A process that does one job after another; it ends when this one does.

    The pipe has no other holders: where the process dies, in the middle of an answer too, it ends.
    """

    def __init__(self, begin: Begin[Any, Any]) -> None:
        context = get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, begin), daemon=True)
        self.process.start()
        theirs.close()

    def do(self, job: Any) -> Any:
        """The result of a job. Raises what the job raises, and `_DiedError`."""
        try:
            self.pipe.send(job)
            answer = self.pipe.recv()
        except (EOFError, OSError):
            raise _DiedError from None
        if isinstance(answer, _Failure):
            raise answer.error from RuntimeError(f"in another process:\n{answer.trace}")
        return answer

    def end(self) -> None:
        self.process.terminate()
        self.process.join()


def _block_interrupts() -> None:
    """In this thread, and so in the processes that it starts."""
    resource_tracker.ensure_running()  # its own start would unblock them again
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


def _serve(pipe: Connection, begin: Begin[Any, Any]) -> None:
    """In a worker's process: does jobs until nobody asks any more."""
    ready = cache(begin)
    with suppress(BrokenPipeError):
        while (data := _next(pipe)) is not None:
            pipe.send(_answer(ready, data))


def _next(pipe: Connection) -> bytes | None:
    try:
        return pipe.recv_bytes()
    except EOFError:
        return None


def _answer(ready: Begin[Any, Any], data: bytes) -> Any:
    try:
        return ready()(pickle.loads(data))
    except Exception as error:
        return _Failure(_portable(error), traceback.format_exc())


def _portable(error: Exception) -> Exception:
    """The error, or one that says the same, as it can be sent: one made of several parts may not."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        kind = WorldModelError if isinstance(error, WorldModelError) else RuntimeError
        return kind(str(error))
    return error
