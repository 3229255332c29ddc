// Package published checks messages of MCP servers against the JSON schemas that the
// protocol publishes for each of its versions. Tests use it.
//
// It promises that a message which it accepts is a message that a server may send in that
// version: an answer has the result of its method, a notification and a request are of a
// known method. The tasks extension has no published schema; of its results only the
// envelope is checked.
//
// The schemas are unchanged copies of schema/VERSION/schema.json of
// github.com/modelcontextprotocol/modelcontextprotocol, commit
// b0f60ba5409db7a6582440a7b473cc0398890f15, under the licence in schemas/LICENSE.
package published
