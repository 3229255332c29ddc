// Package manifest reads the JSON file that stands beside an operator's script
// and says which tools the script holds.
//
// A JSON object is a single tool: its name is that of the file, and it runs the
// function execute. An array is a group: each element names its function, and
// the names of its tools are free. The fields are those of a definition
// (PROTOCOL section 5), in snake_case or camelCase, and env.
//
// It promises that [Parse] never panics, that its work is bounded whatever the
// file holds, and that every entry it returns can be offered: its definition
// passes [tool.New], its schemas compile and its scopes mean something. What is
// wrong with one entry costs only that entry, and all of it is reported at once.
//
// It does not look at the script: whether the function is there is for the
// caller to find out. Nor does it know which names, pools and permissions exist.
package manifest
