// Holds an AsyncAPI document to the official parser: the JSON schema of AsyncAPI 3, and
// what that schema cannot say.  node check.mjs FILE
import { readFileSync } from 'node:fs'
import { Parser } from '@asyncapi/parser'

const [, , file] = process.argv
const { document, diagnostics } = await new Parser().parse(readFileSync(file, 'utf8'))
const warning = 1 // an error is 0; hints, such as that of a newer version, are above
const wrong = diagnostics.filter((d) => d.severity <= warning)
for (const d of wrong) console.error(`${d.path.join('.')}: ${d.message} (${d.code})`)
if (wrong.length > 0 || !document) process.exit(1)
console.log(`${file}: ${document.channels().length} channels, ${document.operations().length} operations, ${document.messages().length} messages`)
