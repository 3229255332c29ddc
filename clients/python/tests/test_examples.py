"""The examples, run as a person would run them, with the output that they are to have."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from pathlib import Path

from .asked import Asked, Reply
from .far import PATIENCE, Far
from .system import CLEAN, System

ROOT = Path(__file__).parent.parent

OUTPUT = {
    "quickstart.py": "12\n['256', '65,536', '4,294,967,296']\nfile_not_found\nWater the plants.\n",
    "approval.py": 'delete_file path: "old.txt"\nawaiting_consent\ndone\n',
    "chat.py": "[calculate: success]\n15% of 80 is 12.\n",
}


def provider(asked: Asked) -> Reply:
    """Answers as a server of OpenAI's Chat Completions streams: with a call, and then with its result."""
    last = asked.json["messages"][-1]
    if last["role"] == "user":
        function = {"name": "calculate", "arguments": '{"expression":"15% of 80"}'}
        deltas = [{"tool_calls": [{"index": 0, "id": "call_1", "type": "function", "function": function}]}]
    else:
        number = json.loads(last["content"])["result"]["result"]
        deltas = [{"content": "15% of 80 "}, {"content": f"is {number}."}]
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    lines = [f"data: {json.dumps(chunk)}\n\n" for chunk in chunks] + ["data: [DONE]\n\n"]
    return Reply(body="".join(lines).encode(), headers={"Content-Type": "text/event-stream"})


class Examples(unittest.TestCase):
    def test_output(self) -> None:
        system = System()
        self.addCleanup(system.stop)
        system.start()
        self.assertEqual({path.name for path in (ROOT / "examples").glob("*.py")}, set(OUTPUT))
        with Far(provider) as models:
            environment = CLEAN | {"HELVE_SERVER": system.url, "OPENAI_BASE_URL": models.url + "/v1", "OPENAI_API_KEY": "sk-test"}
            for name, want in OUTPUT.items():
                with self.subTest(name):
                    done = subprocess.run([sys.executable, ROOT / "examples" / name], capture_output=True, text=True, env=environment, timeout=PATIENCE)
                    self.assertEqual((done.stdout, done.stderr), (want, ""))

    def test_readme_shows_the_first(self) -> None:
        for page in (ROOT / "README.md", ROOT.parent.parent / "docs/clients.md"):
            if page.exists():
                text = (ROOT / "examples/quickstart.py").read_text("utf-8")
                self.assertIn(f"```python\n{text}```", page.read_text("utf-8"), page)


if __name__ == "__main__":
    unittest.main()
