// Package schema decides whether the arguments of a tool call fit the tool's
// JSON Schema (draft-07), and brings them into the shape the tool expects.
//
// # What it promises
//
// [Compile] checks a schema when a tool is registered. It refuses everything that
// could later crash, hang or silently accept: unknown keywords, references that
// leave the document or form loops, foreign dialects, patterns that do not compile,
// defaults that do not fit. Nothing is ever loaded from a file or a URL.
//
// [Schema.Prepare] takes bytes from an untrusted sender. It never panics, its
// work is bounded, and it returns either arguments that fit the schema or an
// [Invalid] with problems that a model can fix. No value is ever coerced:
// numbers keep every digit they came with.
//
// # How it decides
//
// The authority is github.com/xeipuuv/gojsonschema: it decides validity and is the
// source of every message about a broken constraint. A check of this package runs
// first: it reads the bytes once and returns only "certainly valid" or "not sure". It knows type, properties, required, enum
// and const of scalars, the numeric and length bounds, items and
// additionalProperties, and references to schemas made of these. Everything else
// goes to the authority. Property tests and FuzzDifferential compare both with each
// other and with santhosh-tekuri/jsonschema. BenchmarkPrepareValid measures the
// first path, BenchmarkPrepareAuthority the second with valid arguments and
// BenchmarkPrepareInvalid the second with problems to report.
//
// Before the authority runs, the steps it will take for these arguments are
// counted, because it cannot be interrupted: nested alternatives, long regular
// expressions and floods of errors would otherwise cost seconds.
//
// # What it does not do
//
// format is checked only if type is exactly "string", and as loosely as in the
// library (date-time also accepts a bare date or time); unknown formats have no
// effect. Patterns are RE2. Validation keywords beside $ref are refused,
// since draft-07 ignores them, and so is a nested $id. enum, const and uniqueItems
// compare numbers as 64-bit floats, and treat -0 and 0 as different. Defaults are
// filled in for top-level parameters only.
package schema
