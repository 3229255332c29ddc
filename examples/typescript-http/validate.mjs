// Holds the document of a running dispatcher against the schema that the OpenAPI
// Initiative publishes for 3.1.
import { Validator } from "@seriousme/openapi-schema-validator";
import { server } from "./server.mjs";

const response = await fetch(`${server}/openapi.json`);
const validator = new Validator();
const { valid, errors } = await validator.validate(await response.json());
if (!valid || validator.version !== "3.1") {
  console.error(`version ${validator.version}:`, errors);
  process.exit(1);
}
console.log("the document is valid OpenAPI 3.1");
