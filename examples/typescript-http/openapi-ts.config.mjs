import { server } from "./server.mjs";

export default { input: `${server}/openapi.json`, output: "generated" };
