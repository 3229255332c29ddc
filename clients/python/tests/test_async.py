"""What differs between the two clients: how they wait, and how they are cancelled."""

from __future__ import annotations

import asyncio
import inspect
import threading
import unittest
from typing import Any

from helve import AsyncClient, Call, Client, ClosedError, DeadlineError, HelveError

from .asked import SILENT, SUCCESS, Asked, Reply, results
from .far import CLIENTS, PATIENCE, Far

TRACE = "0af7651916cd43dd8448eb211c80319c"


def succeed(asked: Asked) -> Reply:
    return results(asked, **SUCCESS)


def open_connections(client: Any) -> int:
    return len(client._core.requester.transport.pool._all)


async def arrived(far: Far) -> None:
    """Waits until a request has arrived."""
    assert await asyncio.to_thread(far.arrived.wait, PATIENCE), "no request arrives"


class Same(unittest.TestCase):
    def test_methods(self) -> None:
        """Both clients have the same methods, with the same parameters and the same documentation."""
        names = {name for name in vars(Client) if not name.startswith("_")}
        self.assertEqual(names, {name for name in vars(AsyncClient) if not name.startswith("_")})
        for name in names - {"close", "put_file", "context"}:
            one, other = getattr(Client, name), getattr(AsyncClient, name)
            self.assertEqual(inspect.signature(one).parameters, inspect.signature(other).parameters, name)
            self.assertEqual(inspect.getdoc(one), inspect.getdoc(other), name)

    def test_calls(self) -> None:
        with Far(succeed) as far:
            for name, connect in CLIENTS.items():
                with self.subTest(name), connect(far.url) as client:
                    self.assertEqual(client.call("x", call_id="c").value, 1)
                    self.assertEqual(len(client.execute([Call("x"), Call("y")]).results), 2)
                    client.close()
                    with self.assertRaises(ClosedError):
                        client.call("x")

    def test_large_bodies(self) -> None:
        with Far(lambda asked: Reply(body={"results": [{"status": "success", "result": asked.json["calls"][0]["arguments"]}]})) as far:
            for name, connect in CLIENTS.items():
                with self.subTest(name), connect(far.url) as client:
                    large = {"a": "ü" * 1_500_000}
                    self.assertEqual(client.call("x", large).value, large)

    def test_timeout(self) -> None:
        with Far(lambda asked: SILENT) as far:
            for name, connect in CLIENTS.items():
                with self.subTest(name), connect(far.url) as client:
                    with self.assertRaises(DeadlineError):
                        client.call("x", timeout=0.05)
                    with self.assertRaises(TimeoutError):
                        client.tools(timeout=0.05)
                    self.assertEqual(list(client.events(TRACE, timeout=0.05)), [])


class Cancelled(unittest.IsolatedAsyncioTestCase):
    async def test_task(self) -> None:
        """A cancelled task closes the connection of its request, and the client can go on."""
        with Far(lambda asked: SILENT) as far:
            async with AsyncClient(far.url) as client:
                task = asyncio.create_task(client.call("x"))
                await arrived(far)
                (connection,) = client._core.requester.transport.pool._all
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertFalse(connection.stream.idle(), "the connection is not closed")
                self.assertTrue(await asyncio.to_thread(far.gone.wait, PATIENCE), "the connection stays open")
                self.assertEqual(open_connections(client), 0)
                far.answer = succeed
                self.assertTrue((await client.call("x")).ok)

    async def test_timeout_of_asyncio(self) -> None:
        with Far(lambda asked: SILENT) as far:
            async with AsyncClient(far.url) as client:
                with self.assertRaises(TimeoutError):
                    async with asyncio.timeout(0.05):
                        await client.call("x")
                self.assertEqual(open_connections(client), 0)

    async def test_events(self) -> None:
        with Far(lambda asked: SILENT) as far:
            async with AsyncClient(far.url) as client:
                events = client.events(TRACE)
                task = asyncio.create_task(anext(events))
                await arrived(far)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                self.assertEqual(open_connections(client), 0)
                with self.assertRaises(StopAsyncIteration):
                    await anext(events)

    async def test_one_of_several(self) -> None:
        """Other tasks keep their connections."""
        with Far(lambda asked: SILENT if asked.call_ids == ["slow"] else succeed(asked)) as far:
            async with AsyncClient(far.url) as client:
                slow = asyncio.create_task(client.call("x", call_id="slow"))
                await arrived(far)
                quick = await asyncio.gather(*(client.call("x") for _ in range(50)))
                slow.cancel()
                self.assertTrue(all(result.ok for result in quick))
                self.assertTrue((await client.call("x")).ok)
                await asyncio.gather(slow, return_exceptions=True)

    async def test_async_supplier(self) -> None:
        async def token() -> str:
            await asyncio.sleep(0)
            return "t"

        with Far(succeed) as far:
            async with AsyncClient(far.url, token=token) as client:
                await client.call("x")
            self.assertEqual(far.asked[0].headers["authorization"], "Bearer t")

    async def test_async_upload(self) -> None:
        async def pieces() -> Any:
            yield b"a"
            yield b"b"

        received = []

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            received.append(await reader.readuntil(b"0\r\n\r\n"))
            writer.write(b"HTTP/1.1 204 No Content\r\n\r\n")
            writer.close()

        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        async with AsyncClient(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}") as client:
            await client.put_file("f", pieces())
        server.close()
        self.assertTrue(received[0].endswith(b"\r\n\r\n1\r\na\r\n1\r\nb\r\n0\r\n\r\n"), received)


class Threads(unittest.TestCase):
    def test_close_wakes_other_threads(self) -> None:
        for ask in (lambda c: c.call("x"), lambda c: list(c.events(TRACE))):
            with Far(lambda asked: SILENT) as far:
                client = Client(far.url, retry_for=0)
                failed: list[BaseException] = []

                def run() -> None:
                    try:
                        ask(client)
                    except BaseException as error:
                        failed.append(error)

                thread = threading.Thread(target=run)
                thread.start()
                self.assertTrue(far.arrived.wait(PATIENCE))
                client.close()
                thread.join(PATIENCE)
                self.assertFalse(thread.is_alive(), "a request goes on after the client was closed")
                self.assertIsInstance(failed[0], HelveError)
                self.assertNotIn("in time", str(failed[0]))

    def test_many_threads(self) -> None:
        with Far(succeed) as far, Client(far.url) as client:
            done: list[str] = []

            def run() -> None:
                for _ in range(20):
                    done.append(client.call("x").call_id)

            threads = [threading.Thread(target=run) for _ in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join(PATIENCE)
            self.assertEqual(len(set(done)), 160)
            self.assertLessEqual(open_connections(client), 8)

    def test_a_left_iterator_closes_its_connection(self) -> None:
        stream = Reply(body=b'id: 1\ndata: {"type":"done"}\n\n', headers={"Content-Type": "text/event-stream", "Content-Length": "99"})
        with Far(lambda asked: stream) as far, Client(far.url) as client:
            for event in client.events(TRACE):
                self.assertEqual(event.type, "done")
                break
            self.assertEqual(open_connections(client), 0)

    def test_an_async_supplier_is_refused(self) -> None:
        async def token() -> str:
            await asyncio.sleep(0)
            return "t"

        with Client("http://127.0.0.1:9", token=token) as client:  # type: ignore[arg-type]
            with self.assertRaises(RuntimeError):
                client.tools()


if __name__ == "__main__":
    unittest.main()
