// Package manifest parses the JSON file beside an operator's script that defines the
// script's tools.
//
// A JSON object is a single tool: it has the name of the file and runs the function
// execute. An array is a group: each element names its function and its tool. The
// fields are those of a definition (docs/protocol.md, A tool definition), in snake_case
// or camelCase, and env.
//
// It promises that [Parse] never panics, that its work is limited whatever the file
// contains, and that every returned entry can be offered: its definition passes
// [tool.New], its schemas compile and its scopes are valid. An invalid entry does not
// affect the others, and all problems are reported together.
//
// It does not read the script: the caller checks that the function exists. Nor does it
// know which names, pools and permissions exist.
package manifest
