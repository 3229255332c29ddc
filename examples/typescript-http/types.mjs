// Writes the types of the API as openapi-typescript makes them by default.
import { mkdir, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";
import { server } from "./server.mjs";

const types = astToString(await openapiTS(new URL("/openapi.json", server)));
await mkdir("generated", { recursive: true });
await writeFile("generated/schema.d.ts", types);
