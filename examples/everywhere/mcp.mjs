// A client of MCP: Helve is a server of it, at /mcp.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const server = process.env.HELVE_SERVER ?? "http://127.0.0.1:8080";
const client = new Client({ name: "everywhere", version: "1" });
await client.connect(new StreamableHTTPClientTransport(new URL("/mcp", server)));
const { content } = await client.callTool({ name: "calculate", arguments: { expression: "15% of 80" } });
console.log(content[0].text);
await client.close();
