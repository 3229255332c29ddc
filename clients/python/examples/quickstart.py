"""Calls a tool, several tools concurrently, and a tool that fails."""

from helve import Call, CallError, Client, Context

with Client(context=Context(user="ann")) as helve:
    print(helve.call("calculate", {"expression": "15% of 80"}).value["formatted"])

    done = helve.execute([Call("calculate", {"expression": f"2^{n}"}) for n in (8, 16, 32)])
    print([result.value["formatted"] for result in done.results])

    try:
        helve.call("read_file", {"path": "notes.txt"})
    except CallError as error:
        print(error.kind)

    helve.put_file("notes.txt", b"Water the plants.")
    print(helve.call("read_file", {"path": "notes.txt"}).text)
