"""Makes a call that a person must approve, approves it in another task, and follows its events."""

import asyncio

from helve import AsyncClient, Context, new_trace_id


async def approve(helve: AsyncClient) -> None:
    async for consent in helve.watch_consents(user="ann"):
        print(consent.tool, consent.preview.strip())
        await helve.decide(consent.id, grant=True, remember="once")
        return


async def main() -> None:
    trace = new_trace_id()
    async with AsyncClient(context=Context(user="ann")) as helve:
        await helve.put_file("old.txt", b"old")
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(approve(helve))
            tasks.create_task(helve.call("delete_file", {"path": "old.txt"}, trace_id=trace, consent="wait"))
        async for event in helve.events(trace):
            if event.type in ("awaiting_consent", "done"):
                print(event.type)
            if event.type == "done":
                break


asyncio.run(main())
