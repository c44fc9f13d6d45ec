"""Work spread over processes: the results in the order of the jobs, whatever happens to a process."""

from __future__ import annotations

import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import active_children, get_context, parent_process, resource_tracker
from typing import Any, Generic, TypeVar

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
        self._stopped = threading.Event()

    def map(self, jobs: Iterable[Job]) -> Iterator[Result]:
        """The results in the order of the jobs, which are taken only a few ahead.

        Raises what a job raises, and `WorldModelError` where a job's process died twice.
        """
        others = set(active_children())
        # A process inherits the mask of the thread that starts it: Ctrl-C is for this process alone.
        threads = ThreadPoolExecutor(self.number, initializer=_block_interrupts)
        try:
            yield from in_order(lambda job: threads.submit(self._do, job), jobs, self.ahead)
        finally:
            self._stopped.set()
            ours = set(active_children()) - others
            for child in ours:
                child.terminate()
            threads.shutdown(cancel_futures=True)
            for child in ours:
                child.join()

    def _do(self, job: Job) -> Result:
        for _ in range(2):
            try:
                result: Result = self._process().submit(_work_on, job).result()
                return result
            except BrokenProcessPool:
                self._own.process = None
                if self._stopped.is_set():
                    raise CancelledError from None
        raise WorldModelError(
            f"{self.name(job)}: the process that worked on it died twice; out of memory? try fewer workers"
        )

    def _process(self) -> ProcessPoolExecutor:
        process: ProcessPoolExecutor | None = getattr(self._own, "process", None)
        if process is None:
            process = ProcessPoolExecutor(1, get_context("spawn"), _start, (self.begin,))
            self._own.process = process
        return process


def _block_interrupts() -> None:
    """In this thread, and so in the processes that it starts."""
    resource_tracker.ensure_running()  # its own start would unblock them again
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})


_work: Callable[[Any], Any]
"""In a worker's process: what does a job."""


def _start(begin: Begin[Any, Any]) -> None:
    global _work
    threading.Thread(target=_die_with_parent, daemon=True).start()
    _work = begin()


def _die_with_parent() -> None:
    """A process whose parent was killed would wait for jobs for ever."""
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _work_on(job: Any) -> Any:
    return _work(job)
