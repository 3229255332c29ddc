// Package tool is the contract between Helve and the tools it runs.
//
// A tool is a value: a [Spec] that names its typed arguments, its typed
// result, how risky it is, what it needs and the function that runs it. The
// argument type is the schema; validation, provider formats, documentation and
// tests are all derived from the [Definition] that [Add] makes of the Spec.
//
// A tool touches the world only through the ports of its [Call] ([Files], [HTTP],
// [Clock]), and only the ports its Spec requests in Needs are set. Package tool does
// not depend on NATS, on policy or on where files are stored.
//
// # Failure
//
// A tool reports failure by returning an error. [AsError] maps it to one of a closed
// set of kinds, which the caller sees; the message of an [*Error] is for the model, its
// cause is only logged for the operator.
//
// # Data of a person
//
// A tool that keeps data declares a [Collection] of a struct and passes call.Store to its
// methods; the tags store:"search", "index" and "unique" on fields make searches, filters
// and orders quick in large collections.
//
// A tool whose users define the fields has no struct. It makes a [Shape] for each call,
// from a document of its own that describes the user's table:
//
//	shape := &tool.Shape{
//		Name:   "table_" + table.ID, // the name that the user gave may change
//		Fields: map[string]tool.FieldKind{"c1": tool.KindText, "c2": tool.KindNumber},
//		Search: []string{"c1"},
//		Unique: []string{"c1"}, // at most MaxUnique
//		Index:  []string{"c2"}, // at most MaxIndexed with those of Unique
//	}
//	row, err := call.Store.Insert(ctx, shape, json.RawMessage(`{"c1":"a","c2":1}`))
//
// Fields are named by ids of the tool, so that a column is renamed without a change of any
// document. Times are stored as [time.RFC3339] in UTC, all with the same number of digits,
// because they compare as texts. When Unique or Index change, the next use of the
// collection stores the new keys of all its documents; keep their order, and add new
// fields at the end of Index.
//
// # What it does not promise
//
// A tool may run more than once for one call if its definition declares it idempotent
// or without side effects. A tool that mutates and is not idempotent is started at most
// once; see internal/bus/queue for how.
package tool
