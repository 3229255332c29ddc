"""A conversation with a model that uses Helve's tools, streamed, with OPENAI_API_KEY.

With OPENAI_BASE_URL another server of that API answers, such as http://localhost:11434/v1.
"""

import os
import sys

from helve import Client, Context
from helve.chat import Model
from helve.loop import Loop, State

question = " ".join(sys.argv[1:]) or "What is 15% of 80?"
model = Model(
    "openai",
    os.environ.get("OPENAI_MODEL", "gpt-5"),
    key=os.environ.get("OPENAI_API_KEY", ""),
    base_url=os.environ.get("OPENAI_BASE_URL", ""),
)

with Client(context=Context(user="ann")) as helve, model:
    loop = Loop(
        helve,
        model,
        tools={"group": "core"},
        consent="wait",
        text=lambda piece: print(piece, end="", flush=True),
        results=lambda results: print(*(f"[{result.tool}: {result.status}]" for result in results)),
    )
    loop.ask(State(), question)
    print()
