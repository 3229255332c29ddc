// Calls a tool, follows the events of a call, and reads the file that it wrote. HELVE_SERVER is
// the address of a `helve up`, HELVE_TOKEN a key if it asks for one.
import { Helve, newTraceId, ToolError } from "@helve/client";

const { HELVE_SERVER: url = "http://127.0.0.1:8080", HELVE_TOKEN: token } = process.env;
const helve = new Helve({ url, ...(token && { token }), context: { user: "ann" } });

const { result } = await helve.call<{ expression: string; result: number }>("calculate", { expression: "15% of 80" });
console.log(result.expression, "is", result.result);

const trace_id = newTraceId();
const writing = helve.call("write_file", { path: "hello.txt", content: "Hello from a tool.\n" }, { trace_id });
for await (const { type, tool } of helve.events(trace_id)) {
  console.log(type, tool);
  if (type === "done") break;
}
await writing;
const file = await helve.files.get("hello.txt");
console.log((await file.text()).trim());

try {
  await helve.call("read_file", { path: "missing.txt" });
} catch (err) {
  if (!(err instanceof ToolError && err.kind === "file_not_found")) throw err;
  console.log("The file is missing.");
}
